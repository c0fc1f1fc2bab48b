#include "models/structure/LinearRoles.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/structure/AttentionMatrices.h"
#include "models/structure/ProjectionNames.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

using Units = std::vector<TensorUnit>;

/// One way to read the matrices of a block.
struct BlockReading {
  LinearRoles roles;
  /// How close the names of each half's matrices are; higher is better.
  int closeness = 0;
  /// True if the attention's matrices stand before the mlp's two, which follow each other.
  bool isInOrder = false;
};

/// Returns how much of their paths names share: whole parts first, then letters.
int closenessOf(const Units& units) {
  if (units.size() < 2) return 0;
  std::vector<std::string> names;
  for (const TensorUnit& unit : units) names.push_back(unit.name);
  constexpr int ofPart = 100;
  const std::string path = commonPath(names);
  const auto parts = std::ranges::count(path, '.');
  std::size_t letters = 0;
  const auto shareLetter = [&](const std::string& name) {
    return letters < name.size() && name[letters] == names.front()[letters];
  };
  while (std::ranges::all_of(names, shareLetter)) ++letters;
  return ofPart * static_cast<int>(parts) + std::min(static_cast<int>(letters), ofPart - 1);
}

/// Reads the matrices of a block: tries every two of them as the mlp's, and takes the reading whose
/// parts have the closest names.
class BlockReader {
 public:
  BlockReader(const Units& linears, const BlockContext& context)
      : linears_(linears), context_(context) {}

  LinearRoles read() {
    lists_ = findHeadLists(linears_, context_.channels, context_.isTransposed);
    rest_ = lists_ ? lists_->rest : linears_;
    addReading(rest_, nullptr, nullptr);
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      for (std::size_t j = 0; j < rest_.size(); ++j) {
        if (i != j && areMlp(rest_[i], rest_[j], i < j))
          addReading(without(i, j), &rest_[i], &rest_[j]);
      }
    }
    if (readings_.empty()) refuse();
    return best().roles;
  }

 private:
  std::int64_t outputs(const TensorUnit& unit) const {
    return outputsOf(unit, context_.isTransposed);
  }
  std::int64_t inputs(const TensorUnit& unit) const {
    return inputsOf(unit, context_.isTransposed);
  }

  static bool saysQueries(const TensorUnit& unit) {
    return projectionLetters(unit.name).find('q') != std::string::npos;
  }

  /// Returns true if the first matrix may expand tokens and the second contract them again. Of two
  /// square matrices, the first in the file or by name is the first; both may be if nothing tells.
  bool areMlp(const TensorUnit& first, const TensorUnit& second, bool isBefore) const {
    const std::int64_t channels = context_.channels;
    if (!fitMlp(first, second) || isContradicted(first, second, isBefore)) return false;
    for (const TensorUnit* unit : {&first, &second}) {
      const bool isOfKeys = !projectionLetters(unit->name).empty() && !isCalledMlp(unit->name);
      const bool isNone = saysQueries(*unit) || isOfKeys ||
                          (saysBesideAttention(unit->name) &&
                           !mentions(lowerCase(unit->name), {"mlp", "ffn", "feed"}));
      if (isNone || (outputs(first) < channels && saysBesideMlp(unit->name))) return false;
    }
    if (outputs(first) != channels) return true;
    return context_.isOrdered ? isBefore : comesFirstByName(first, second).value_or(true);
  }

  bool fitMlp(const TensorUnit& first, const TensorUnit& second) const {
    return inputs(first) == context_.channels && outputs(second) == context_.channels &&
           outputs(first) == inputs(second);
  }

  static std::optional<bool> comesFirstByName(const TensorUnit& first, const TensorUnit& second) {
    const auto told = precedesByNumber(first.name, second.name);
    return told ? told : expandsByWord(first.name, second.name);
  }

  /// Returns true if numbers, words or the order of the file say that a matrix which widens tokens
  /// by its shape comes behind the one that narrows them. Without biases, which tell how matrices
  /// are stored, both may then be stored as [inputs, outputs].
  bool isContradicted(const TensorUnit& expand, const TensorUnit& contract, bool isBefore) const {
    const bool isTold = !expand.bias.empty() || !contract.bias.empty();
    if (isTold || outputs(expand) == context_.channels) return false;
    auto told = precedesByNumber(expand.name, contract.name);
    // A bottleneck goes down first.
    if (!told && outputs(expand) > context_.channels) {
      told = expandsByWord(expand.name, contract.name);
    }
    return !told.value_or(isBefore || !context_.isOrdered);
  }

  /// Returns true for the parts of blocks that narrow tokens and are no mlp.
  static bool saysBesideMlp(const std::string& name) {
    return hasWord(name, {"se", "gate", "gates", "ca", "lora"}) ||
           mentions(lowerCase(name),
                    {"excit", "squeeze", "adapter", "adaptor", "lora_", "channel"});
  }

  /// Returns true if one of two matrices stands in the module of the attention's own and the other
  /// does not, or if both narrow tokens there, as the factors of an output projection.
  bool areOfAttention(const TensorUnit& expand, const TensorUnit& contract,
                      const std::string& path) const {
    const std::string inside = path + ".";
    const bool isFirst = !path.empty() && expand.name.starts_with(inside);
    const bool isSecond = !path.empty() && contract.name.starts_with(inside);
    return isFirst != isSecond || (isFirst && outputs(expand) < context_.channels);
  }

  /// Returns true if two matrices stand in a module that holds no other.
  bool haveOwnModule(const TensorUnit& expand, const TensorUnit& contract) const {
    const std::string module = commonPath(std::array{expand.name, contract.name});
    return !module.empty() && std::ranges::count_if(linears_, [&](const TensorUnit& unit) {
                                return unit.name.starts_with(module + ".");
                              }) == 2;
  }

  /// Returns true if an attention takes a matrix that is called an mlp's while another of its own
  /// is not, or the only one from the module of the mlp's two.
  static bool takesFromMlp(const Units& ofAttention, const TensorUnit& expand,
                           const TensorUnit& contract) {
    const auto isCalled = [](const TensorUnit& unit) { return isCalledMlp(unit.name); };
    const auto called = std::ranges::count_if(ofAttention, isCalled);
    const bool isMixed = called > 0 && called < std::ssize(ofAttention) && !isCalled(expand);
    const std::string module = commonPath(std::array{expand.name, contract.name});
    const auto inside = std::ranges::count_if(ofAttention, [&](const TensorUnit& unit) {
      return !module.empty() && unit.name.starts_with(module + ".");
    });
    return isMixed || (inside == 1 && ofAttention.size() > 1);
  }

  /// Returns true if names tell that two matrices are an mlp's. Beside an attention without an
  /// output projection, two square ones may otherwise be that projection and an mlp of one matrix.
  bool areToldAsMlp(const TensorUnit& expand, const TensorUnit& contract) const {
    const bool saysUp = hasWord(lastPartOfName(expand.name), {"up", "expand", "expansion", "wi"}) ||
                        hasWord(expand.name, {"intermediate"});
    const bool areSiblings = parentPath(expand.name) == parentPath(contract.name);
    return haveOwnModule(expand, contract) ||
           (areSiblings && precedesByNumber(expand.name, contract.name)) ||
           (saysUp && expandsByWord(expand.name, contract.name));
  }

  /// Returns true if two matrices are no mlp beside this attention, and keeps the one that may be
  /// an mlp alone.
  bool areNoMlp(const TensorUnit& expand, const TensorUnit& contract,
                const AttentionStructure& attention) {
    const bool isUntold = outputs(expand) == context_.channels && !attention.output &&
                          !areToldAsMlp(expand, contract);
    if (!isUntold && !areOfAttention(expand, contract, attention.path)) return false;
    const bool isExpand = isCalledMlp(expand.name) ||
                          (!attention.path.empty() && contract.name.starts_with(attention.path));
    if (outputs(expand) == context_.channels) loneMlp_ = withinBlock(isExpand ? expand : contract);
    return true;
  }

  /// Returns true for the name of a matrix that makes two of queries, keys and values.
  static bool makesTwo(const TensorUnit& unit) { return projectionLetters(unit.name).size() == 2; }

  Units without(std::size_t i, std::size_t j) const {
    Units rest;
    for (std::size_t k = 0; k < rest_.size(); ++k) {
      if (k != i && k != j) rest.push_back(rest_[k]);
    }
    return rest;
  }

  void addReading(const Units& ofAttention, const TensorUnit* expand, const TensorUnit* contract) {
    auto attention = attentionWith(ofAttention);
    if (!attention) return;
    BlockReading reading;
    std::vector<std::string> names;
    for (const TensorUnit& unit : ofAttention) names.push_back(unit.name);
    if (lists_) names.insert(names.end(), lists_->names.begin(), lists_->names.end());
    attention->path = commonPath(names);
    if (hasOtherOutput(ofAttention, *attention)) return;
    if (hasMlpAsOutput(ofAttention, *attention, expand != nullptr)) return;
    reading.roles.attention = *attention;
    reading.closeness = closenessOf(ofAttention);
    if (expand != nullptr) {
      if (areNoMlp(*expand, *contract, *attention) ||
          takesFromMlp(ofAttention, *expand, *contract)) {
        return;
      }
      reading.roles.expand = *expand;
      reading.roles.contract = *contract;
      reading.closeness += closenessOf({*expand, *contract});
      const auto place = [&](const TensorUnit* unit) { return unit - rest_.data(); };
      reading.isInOrder =
          place(contract) == std::ssize(rest_) - 1 && place(expand) == std::ssize(rest_) - 2;
      reading.roles.isMlpInFront = isMlpInFront({expand->name, contract->name}, attention->path);
    }
    readings_.push_back(std::move(reading));
  }

  /// Returns true if the matrix behind the heads says, by itself or by its module within the
  /// attention, that it gates or skips them.
  static bool hasOtherOutput(const Units& ofAttention, const AttentionStructure& attention) {
    return attention.output && std::ranges::any_of(ofAttention, [&](const TensorUnit& unit) {
             if (unit.weight != attention.output->weight) return false;
             std::string part = unit.name.substr(attention.path.size());
             while (!part.empty() && !saysNoOutput(part)) part = parentPath(part);
             return !part.empty();
           });
  }

  /// Returns true if the matrix behind the heads may be an mlp of one matrix, and keeps its name:
  /// it says so, or it stands, in a block without another mlp, in another module than the
  /// projections and is not called an output.
  bool hasMlpAsOutput(const Units& ofAttention, const AttentionStructure& attention, bool hasMlp) {
    if (!attention.output) return false;
    std::string output;
    std::vector<std::string> projections = lists_ ? lists_->names : std::vector<std::string>();
    for (const TensorUnit& unit : ofAttention) {
      const bool isOutput = unit.weight == attention.output->weight;
      isOutput ? void(output = unit.name) : projections.push_back(unit.name);
    }
    const std::string own = output.substr(attention.path.size());
    std::string module =
        projections.size() == 1 ? moduleOfProduct(projections.front()) : commonPath(projections);
    if (lists_) module = parentPath(module);
    const bool isInside = module.empty() || output.starts_with(module + ".");
    const bool saysOutput = hasWord(own, {"o", "wo", "out", "output", "proj", "projection", "merge",
                                          "unify", "unifyheads", "combine"});
    const bool isMlp = isCalledMlp(own) && std::ranges::none_of(projections, isCalledMlp);
    if (hasMlp ? isInside || !isMlp : !isMlp && (isInside || saysOutput)) return false;
    loneMlp_ = output.substr(output.starts_with('.') ? 1 : 0);
    return true;
  }

  /// Returns true if all matrices of an attention stand behind the mlp's, by the file's order or by
  /// the numbers of their modules in a list.
  bool isMlpInFront(const std::vector<std::string>& mlp, const std::string& attention) const {
    const auto isOfMlp = [&](const TensorUnit& unit) {
      return std::ranges::find(mlp, unit.name) != mlp.end();
    };
    if (precedesByNumber(commonPath(mlp), attention).value_or(false)) return true;
    return context_.isOrdered && linears_.size() > mlp.size() &&
           std::all_of(linears_.begin(), linears_.begin() + std::ssize(mlp), isOfMlp);
  }

  std::optional<AttentionStructure> attentionWith(const Units& units) const {
    if (!lists_) {
      return readAttention(units, context_.channels, context_.isTransposed, context_.isOrdered);
    }
    if (units.size() > 1) return std::nullopt;
    AttentionStructure attention = lists_->attention;
    if (units.empty()) {
      return attention.inner == context_.channels ? std::optional(attention) : std::nullopt;
    }
    if (outputs(units[0]) != context_.channels || inputs(units[0]) != attention.inner) {
      return std::nullopt;
    }
    attention.output = productOf(units[0], context_.isTransposed);
    return attention;
  }

  const BlockReading& best() const {
    const auto rank = [&](const BlockReading& reading) {
      return std::pair(reading.closeness, context_.isOrdered && reading.isInOrder);
    };
    const BlockReading* best = &readings_.front();
    bool isTied = false;
    for (const BlockReading& reading : readings_) {
      if (&reading == best) continue;
      isTied = rank(reading) == rank(*best) || (isTied && !(rank(reading) > rank(*best)));
      if (rank(reading) > rank(*best)) best = &reading;
    }
    const bool isUndecided = isTied || isFiveSquares(*best);
    if (isUndecided) {
      throw ModelError("ambiguous block: the " + std::to_string(linears_.size()) + " matrices of " +
                       context_.block + " (" + namesText() +
                       ") can be read in more than one way: " +
                       (hasTurned(*best) ? "nothing tells which of the mlp's two comes first"
                                         : "with an output projection or without"));
    }
    return *best;
  }

  /// Returns true if there is a reading whose mlp has the two matrices in the other order.
  bool hasTurned(const BlockReading& reading) const {
    const auto nameOf = [](const std::optional<TensorUnit>& unit) {
      return unit ? unit->name : std::string();
    };
    return reading.roles.expand && std::ranges::any_of(readings_, [&](const BlockReading& other) {
             return nameOf(other.roles.expand) == nameOf(reading.roles.contract) &&
                    nameOf(other.roles.contract) == nameOf(reading.roles.expand);
           });
  }

  /// Five square matrices are an attention without output and an mlp of two, or with an output and
  /// an mlp of one.
  bool isFiveSquares(const BlockReading& reading) const {
    return !lists_ && reading.roles.expand && !reading.roles.attention.output &&
           rest_.size() == 5 && !haveOwnModule(*reading.roles.expand, *reading.roles.contract) &&
           std::ranges::all_of(rest_, [&](const TensorUnit& unit) {
             return outputs(unit) == context_.channels && inputs(unit) == context_.channels;
           });
  }

  std::string namesText() const {
    return listText(linears_, ", ", [](const TensorUnit& unit) {
      return quotedText(withinBlock(unit)) + " [" + listText(unit.shape) + "]";
    });
  }

  /// Returns true if two matrices expand tokens to a width that a third contracts.
  bool hasGatedMlp() const {
    return std::ranges::any_of(linears_, [&](const TensorUnit& contract) {
      const std::int64_t hidden = inputs(contract);
      return outputs(contract) == context_.channels && hidden != context_.channels &&
             std::ranges::count_if(linears_, [&](const TensorUnit& expand) {
               return !makesTwo(expand) && outputs(expand) == hidden &&
                      inputs(expand) == context_.channels;
             }) == 2;
    });
  }

  [[noreturn]] void refuse() const {
    if (hasGatedMlp()) {
      throw ModelError("gated mlp: " + context_.block +
                       " has three matrices of an mlp, as SwiGLU's, and nothing tells which is "
                       "the gate (" +
                       namesText() + ")");
    }
    const std::int64_t channels = context_.channels;
    const auto count = [&](std::int64_t out) {
      return std::ranges::count_if(linears_, [&](const TensorUnit& unit) {
        return outputs(unit) == out && inputs(unit) == channels;
      });
    };
    constexpr int squaresOfBoth = 4;
    if (count(3 * channels) > 0 && count(channels) >= squaresOfBoth) {
      throw ModelError(
          "double projection (computable when recognised: q = Wq2 (Wq1 x + b1) + b2): " +
          context_.block + " has matrices of queries, keys and values and a packed one as well (" +
          namesText() + ")");
    }
    throw ModelError("ambiguous block: the " + std::to_string(linears_.size()) + " matrices of " +
                     context_.block + " (" + namesText() + ") are " + reasonOfNone());
  }

  /// Says what hinders reading the matrices.
  std::string reasonOfNone() const {
    const auto says = [&](char letter) {
      return std::ranges::any_of(
          linears_, [&](const TensorUnit& unit) { return saysProjection(unit.name, letter); });
    };
    for (const TensorUnit& expand : linears_) {
      for (const TensorUnit& contract : linears_) {
        const bool isBefore = &expand < &contract;
        if (&expand == &contract || !fitMlp(expand, contract)) continue;
        if (!isContradicted(expand, contract, isBefore)) continue;
        return "those of an mlp that may be stored as [inputs, outputs], since " +
               quotedText(withinBlock(contract)) + " comes before " +
               quotedText(withinBlock(expand)) + ", and nothing tells it of the others";
      }
    }
    if (says('q') && says('v') && !says('k')) return "q and v, and no keys of their own";
    if (says('q') && says('k') && !says('v')) return "q and k, and no values of their own";
    const auto pair = std::ranges::find_if(linears_, makesTwo);
    if (pair != linears_.end()) {
      const std::string letters = projectionLetters(pair->name);
      const std::string both = letters.substr(0, 1) + " and " + letters.substr(1);
      const char single = letterBeside(letters);
      if (!says(single)) return both + ", and nothing beside them says that it makes " + single;
      if (outputs(*pair) == context_.channels) {
        return "those of an attention that shares one matrix, " + quotedText(withinBlock(*pair)) +
               ", among " + both;
      }
    }
    if (const TensorUnit* gated = packedGate()) {
      return "those of a gated mlp, whose first two seem to be packed in " +
             quotedText(withinBlock(*gated)) + ", beside an attention";
    }
    if (!loneMlp_.empty()) {
      return "not those of one attention and an mlp of two: " + quotedText(loneMlp_) +
             " may be an mlp of a single matrix";
    }
    return "not those of one attention and one mlp";
  }

  /// Returns the matrix that expands tokens to twice what another contracts, if names say elsewhere
  /// what makes queries, keys and values.
  const TensorUnit* packedGate() const {
    std::string letters;
    for (const TensorUnit& unit : linears_) letters += projectionLetters(unit.name);
    const bool areSaid = std::ranges::all_of(std::string_view("qkv"), [&](char letter) {
      return letters.find(letter) < letters.size();
    });
    for (const TensorUnit& expand : linears_) {
      const auto contracts = [&](const TensorUnit& unit) {
        return &unit != &expand && outputs(unit) == context_.channels &&
               2 * inputs(unit) == outputs(expand) && projectionLetters(unit.name).empty();
      };
      const bool isPlain = std::ranges::any_of(linears_, [&](const TensorUnit& unit) {
        return &unit != &expand && fitMlp(expand, unit);
      });
      if (areSaid && !isPlain && inputs(expand) == context_.channels &&
          projectionLetters(expand.name).empty() && std::ranges::any_of(linears_, contracts)) {
        return &expand;
      }
    }
    return nullptr;
  }

  static std::string withinBlock(const TensorUnit& unit) {
    return unit.name.substr(unit.name.starts_with('.') ? 1 : 0);
  }

  const Units& linears_;
  const BlockContext& context_;
  std::optional<HeadLists> lists_;
  Units rest_;
  std::vector<BlockReading> readings_;
  std::string loneMlp_;  ///< the matrix that may be an mlp alone, within the block
};

}  // namespace

LinearRoles assignLinears(const std::vector<TensorUnit>& linears, const BlockContext& context) {
  return BlockReader(linears, context).read();
}

}  // namespace softscope
