#include "models/structure/LinearRoles.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ShapeReader.h"
#include "models/structure/ProjectionNames.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

/// The matrices whose names differ in one number alone, by that number.
using HeadList = std::map<int, std::size_t>;
/// Lists by their names with # for the number.
using ListsByName = std::map<std::string, HeadList>;

/// Adds a matrix to the list of every number in its name.
void addToLists(const std::string& name, std::size_t index, ListsByName& lists) {
  constexpr std::size_t mostDigits = 4;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    if (end == at) {
      ++at;
      continue;
    }
    if (end - at <= mostDigits) {
      const int number = std::stoi(name.substr(at, end - at));
      lists[name.substr(0, at) + '#' + name.substr(end)][number] = index;
    }
    at = end;
  }
}

}  // namespace

std::optional<HeadLists> findHeadLists(const std::vector<TensorUnit>& linears,
                                       std::int64_t channels, bool isTransposed) {
  ListsByName lists;
  for (std::size_t i = 0; i < linears.size(); ++i) addToLists(linears[i].name, i, lists);
  const auto productAt = [&](std::size_t index) { return productOf(linears[index], isTransposed); };
  const auto isOfHeads = [&](const HeadList& list) {
    const ProductPart first = productAt(list.begin()->second);
    const auto heads = static_cast<std::int64_t>(list.size());
    const bool whole = first.inputs == channels && first.outputs < channels;
    const bool sliced = first.inputs == first.outputs && heads * first.inputs == channels;
    return heads > 1 && list.rbegin()->first - list.begin()->first == heads - 1 &&
           (whole || sliced) && std::ranges::all_of(list, [&](const auto& entry) {
             const ProductPart other = productAt(entry.second);
             return other.inputs == first.inputs && other.outputs == first.outputs;
           });
  };
  std::erase_if(lists, [&](const auto& entry) { return !isOfHeads(entry.second); });
  if (lists.size() != 3) return std::nullopt;
  std::vector<std::pair<std::string, HeadList>> three(lists.begin(), lists.end());
  const auto told = orderProjections({three[0].first, three[1].first, three[2].first});
  const std::size_t heads = three[0].second.size();
  if (!told ||
      !std::ranges::all_of(three, [&](const auto& list) { return list.second.size() == heads; })) {
    return std::nullopt;
  }
  HeadLists found;
  std::set<std::size_t> taken;
  for (const std::size_t at : told->order) {
    std::vector<ProductPart>& products = found.attention.projections.emplace_back();
    for (const auto& [number, index] : three[at].second) {
      products.push_back(productAt(index));
      found.names.push_back(linears[index].name);
      taken.insert(index);
    }
  }
  for (std::size_t i = 0; i < linears.size(); ++i) {
    if (taken.count(i) == 0) found.rest.push_back(linears[i]);
  }
  const ProductPart& first = found.attention.projections.front().front();
  found.attention.heads = static_cast<int>(heads);
  found.attention.inner = first.outputs * static_cast<std::int64_t>(heads);
  found.attention.layout =
      first.inputs == channels ? ProjectionLayout::OfHeads : ProjectionLayout::OfSlices;
  const bool alike = std::ranges::all_of(found.attention.projections, [&](const auto& list) {
    return list.front().outputs == first.outputs && list.front().inputs == first.inputs;
  });
  return alike ? std::optional(found) : std::nullopt;
}

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

/// Reads matrices that are all of one attention.
class AttentionReading {
 public:
  AttentionReading(const Units& units, const BlockContext& context)
      : units_(units), context_(context), channels_(context.channels) {}

  /// Returns the attention, or nothing if the shapes fit none.
  std::optional<AttentionStructure> read() const {
    for (const auto& readOne : {&AttentionReading::packed, &AttentionReading::keyValue,
                                &AttentionReading::separate, &AttentionReading::shared}) {
      if (auto attention = (this->*readOne)()) return attention;
    }
    return std::nullopt;
  }

 private:
  std::int64_t outputs(const TensorUnit& unit) const {
    return unit.size(context_.isTransposed ? 1 : 0);
  }
  std::int64_t inputs(const TensorUnit& unit) const {
    return unit.size(context_.isTransposed ? 0 : 1);
  }
  bool isOf(const TensorUnit& unit, std::int64_t out, std::int64_t in) const {
    return outputs(unit) == out && inputs(unit) == in;
  }
  ProductPart product(const TensorUnit& unit) const {
    return productOf(unit, context_.isTransposed);
  }

  std::optional<AttentionStructure> packed() const {
    for (std::size_t i = 0; i < units_.size() && units_.size() <= 2; ++i) {
      const TensorUnit& all = units_[i];
      const std::int64_t inner = outputs(all) / 3;
      if (!isOf(all, 3 * inner, channels_) || inner == 0) continue;
      AttentionStructure attention{.layout = ProjectionLayout::Packed, .inner = inner};
      attention.projections = {{product(all)}};
      std::string letters = projectionLetters(all.name);
      std::ranges::sort(letters);
      if (letters == "kqv") attention.packed = projectionLetters(all.name);
      if (units_.size() == 1 && inner == channels_) return attention;
      if (units_.size() != 2 || !isOf(units_[1 - i], channels_, inner)) continue;
      attention.output = product(units_[1 - i]);
      attention.isMultiheadAttention = all.weight.ends_with("in_proj_weight") &&
                                       units_[1 - i].weight.ends_with("out_proj.weight");
      return attention;
    }
    return std::nullopt;
  }

  std::optional<AttentionStructure> keyValue() const {
    if (units_.size() != 2 && units_.size() != 3) return std::nullopt;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const std::int64_t inner = outputs(units_[i]) / 2;
      if (!isOf(units_[i], 2 * inner, channels_) || inner == 0) continue;
      const auto pair = lettersOfPair(units_[i]);
      if (!pair) continue;
      const char single = letterBeside(*pair);
      Units rest = units_;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (rest.size() == 2 && projectionComesLast(rest, single)) std::swap(rest[0], rest[1]);
      const bool fits = isOf(rest[0], inner, channels_) &&
                        (rest.size() == 1 ? inner == channels_ : isOf(rest[1], channels_, inner));
      if (!fits || saysOther(rest[0], single) || saysBesideAttention(rest[0].name)) continue;
      // A matrix alone beside a pair may be the output's of keys or values that are tokens.
      if (rest.size() == 1 && !saysProjection(rest[0].name, single)) continue;
      AttentionStructure attention{.layout = ProjectionLayout::KeyValue, .packed = *pair};
      attention.inner = inner;
      attention.projections = {{product(rest[0])}, {product(units_[i])}};
      if (rest.size() == 2) attention.output = product(rest[1]);
      return attention;
    }
    return std::nullopt;
  }

  /// Returns the two letters of what a packed matrix makes, keys and values if its name says
  /// neither; nothing if it says queries alone, or all three.
  static std::optional<std::string> lettersOfPair(const TensorUnit& unit) {
    const std::string letters = projectionLetters(unit.name);
    if (letters.size() == 2 && letters[0] != letters[1]) return letters;
    return letters.find('q') == std::string::npos ? std::optional<std::string>("kv") : std::nullopt;
  }

  /// Returns the letter of the projection that is not among two.
  static char letterBeside(const std::string& pair) {
    const std::string_view all = "qkv";
    return all[all.find_first_not_of(pair)];
  }

  static bool saysOther(const TensorUnit& unit, char letter) {
    const std::string letters = projectionLetters(unit.name);
    return !letters.empty() && letters != std::string(1, letter);
  }

  /// Tells the single projection from the output's by shape, then by its letter.
  bool projectionComesLast(const Units& two, char letter) const {
    if (two[0].shape != two[1].shape) {
      return outputs(two[0]) == channels_ && inputs(two[0]) != channels_;
    }
    const std::string own(1, letter);
    const auto likeness = [&](const TensorUnit& unit) {
      if (projectionLetters(unit.name) == own) return 2;
      return mentions(lastPartOfName(unit.name), {own}) ? 1 : 0;
    };
    return likeness(two[1]) > likeness(two[0]);
  }

  std::optional<AttentionStructure> separate() const {
    if (units_.size() != 3 && units_.size() != 4) return std::nullopt;
    const auto parts = tellProjections(units_, [&](const Units& three, const TensorUnit* output) {
      const std::int64_t inner = outputs(three[0]);
      const bool alike = std::ranges::all_of(
          three, [&](const TensorUnit& unit) { return isOf(unit, inner, channels_); });
      return alike && (output == nullptr ? inner == channels_ : isOf(*output, channels_, inner));
    });
    if (!parts) return std::nullopt;
    return named(*parts, ProjectionLayout::Separate, outputs(parts->three[0]));
  }

  std::optional<AttentionStructure> shared() const {
    if (units_.size() != 3 && units_.size() != 4) return std::nullopt;
    const auto parts = tellProjections(units_, [&](const Units& three, const TensorUnit* output) {
      const std::int64_t width = outputs(three[0]);
      const bool alike = std::ranges::all_of(
          three, [&](const TensorUnit& unit) { return isOf(unit, width, width); });
      return alike && width > 0 && width < channels_ && channels_ % width == 0 &&
             (output == nullptr || isOf(*output, channels_, channels_));
    });
    if (!parts) return std::nullopt;
    AttentionStructure attention = named(*parts, ProjectionLayout::Shared, channels_);
    attention.heads = static_cast<int>(channels_ / outputs(parts->three[0]));
    return attention;
  }

  AttentionStructure named(const ToldProjections& parts, ProjectionLayout layout,
                           std::int64_t inner) const {
    AttentionStructure attention{.layout = layout, .inner = inner};
    for (const TensorUnit& unit : parts.three) attention.projections.push_back({product(unit)});
    if (parts.output) attention.output = product(*parts.output);
    return attention;
  }

  const Units& units_;
  const BlockContext& context_;
  std::int64_t channels_;
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

/// Returns the readings of a block whose mlp has the two matrices at `first` and `second`.
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
    return unit.size(context_.isTransposed ? 1 : 0);
  }
  std::int64_t inputs(const TensorUnit& unit) const {
    return unit.size(context_.isTransposed ? 0 : 1);
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
      const bool isNone =
          saysQueries(*unit) || (saysBesideAttention(unit->name) &&
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

  /// Returns true if two matrices that narrow tokens stand in the module of the attention's own,
  /// as the factors of an output projection.
  bool areFactors(const TensorUnit& expand, const TensorUnit& contract,
                  const std::string& path) const {
    const std::string inside = path + ".";
    return !path.empty() && outputs(expand) < context_.channels &&
           expand.name.starts_with(inside) && contract.name.starts_with(inside);
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
    auto attention = readAttention(ofAttention);
    if (!attention) return;
    BlockReading reading;
    std::vector<std::string> names;
    for (const TensorUnit& unit : ofAttention) names.push_back(unit.name);
    if (lists_) names.insert(names.end(), lists_->names.begin(), lists_->names.end());
    attention->path = commonPath(names);
    if (hasOtherOutput(ofAttention, *attention)) return;
    reading.roles.attention = *attention;
    reading.closeness = closenessOf(ofAttention);
    if (expand != nullptr) {
      if (areFactors(*expand, *contract, attention->path)) return;
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
             while (!part.empty() && !saysBesideAttention(part)) part = parentPath(part);
             return !part.empty();
           });
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

  std::optional<AttentionStructure> readAttention(const Units& units) const {
    if (!lists_) return AttentionReading(units, context_).read();
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
           rest_.size() == 5 && std::ranges::all_of(rest_, [&](const TensorUnit& unit) {
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
    const auto pair = std::ranges::find_if(linears_, makesTwo);
    if (pair != linears_.end()) {
      const std::string letters = projectionLetters(pair->name);
      const std::string both = letters.substr(0, 1) + " and " + letters.substr(1);
      const std::string_view all = "qkv";
      const char single = all[all.find_first_not_of(letters)];
      if (!says(single)) return both + ", and nothing beside them says that it makes " + single;
      if (outputs(*pair) == context_.channels) {
        return "those of an attention that shares one matrix, " + quotedText(withinBlock(*pair)) +
               ", among " + both;
      }
    }
    return "not those of one attention and one mlp";
  }

  static std::string withinBlock(const TensorUnit& unit) {
    return unit.name.substr(unit.name.starts_with('.') ? 1 : 0);
  }

  const Units& linears_;
  const BlockContext& context_;
  std::optional<HeadLists> lists_;
  Units rest_;
  std::vector<BlockReading> readings_;
};

}  // namespace

LinearRoles assignLinears(const std::vector<TensorUnit>& linears, const BlockContext& context) {
  return BlockReader(linears, context).read();
}

}  // namespace softscope
