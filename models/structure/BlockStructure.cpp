#include "models/structure/BlockStructure.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ShapeReader.h"
#include "models/structure/LinearRoles.h"

#include <algorithm>
#include <array>
#include <set>

namespace softscope {

namespace {

/// The units of a block by kind, named as within the block.
struct BlockUnits {
  std::vector<TensorUnit> linears;
  std::vector<TensorUnit> norms;
  std::vector<TensorUnit> extras;
};

TensorUnit namedWithin(const TensorUnit& unit, const std::string& block) {
  TensorUnit inside = unit;
  for (std::string* name : {&inside.name, &inside.weight, &inside.bias}) {
    if (!name->empty()) name->erase(0, block.size());
  }
  return inside;
}

[[noreturn]] void refuseUnit(const TensorUnit& unit, const std::string& block) {
  TensorUnit whole = unit;
  whole.name = block + unit.name;
  constexpr std::int64_t tableEntries = 256;
  if (unit.isBare && unit.shape == std::vector<std::int64_t>{tableEntries}) {
    throw ModelError("quantised lookup softmax: " + unitText(whole) +
                     " is a table of 256 entries that stands for a function");
  }
  if (unit.isBare && unit.hasDimensions(2) && unit.size(0) == unit.size(1)) {
    throw ModelError("talking heads or re-attention, as in CaiT and DeepViT: " + unitText(whole) +
                     " mixes the maps of heads");
  }
  throw ModelError("tensor without a place: " + unitText(whole));
}

BlockUnits sortUnits(const std::vector<TensorUnit>& units, const std::string& block,
                     std::int64_t channels) {
  BlockUnits sorted;
  for (const TensorUnit& whole : units) {
    const TensorUnit unit = namedWithin(whole, block);
    if (unit.isNorm(channels)) {
      sorted.norms.push_back(unit);
    } else if (unit.hasDimensions(2) && !unit.isBare) {
      sorted.linears.push_back(unit);
    } else if ((unit.hasDimensions(2) && unit.isBare) ||
               (unit.hasDimensions(4) && unit.bias.empty() && !unit.isBatchNorm)) {
      sorted.extras.push_back(unit);
    } else {
      refuseUnit(unit, block);
    }
  }
  return sorted;
}

/// Returns true if the matrices are stored as [inputs, outputs]: their biases are then as long as
/// the second size.
bool storesInputsFirst(const std::vector<TensorUnit>& linears) {
  return std::ranges::any_of(linears, [](const TensorUnit& unit) {
    return !unit.bias.empty() && unit.size(0) != unit.size(1) && unit.biasShape.size() == 1 &&
           unit.biasShape[0] == unit.size(1);
  });
}

void requireBiases(const std::vector<TensorUnit>& linears, bool isTransposed,
                   const std::string& block) {
  for (const TensorUnit& unit : linears) {
    const std::int64_t outputs = unit.size(isTransposed ? 1 : 0);
    if (!unit.bias.empty() && unit.biasShape != std::vector<std::int64_t>{outputs}) {
      refuseUnit(unit, block);
    }
  }
}

/// Takes the units with Linformer's Linear [rank, tokens] out of the linears.
std::vector<TensorUnit> takeTokenProducts(BlockUnits& units, std::int64_t channels,
                                          std::int64_t tokens) {
  std::vector<TensorUnit> taken;
  if (tokens == 0 || tokens == channels) return taken;
  std::erase_if(units.linears, [&](const TensorUnit& unit) {
    const bool isOfTokens = unit.size(1) == tokens && unit.bias.empty() && unit.size(0) < tokens &&
                            unit.size(0) != channels;
    if (isOfTokens) taken.push_back(unit);
    return isOfTokens;
  });
  return taken;
}

/// Orders two matrices of Linformer so that the one for keys comes first: by the letters k and v of
/// proj_k and proj_v, or e and f; otherwise in the file's order.
void orderKeysFirst(std::vector<TensorUnit>& pair) {
  if (pair.size() == 2 && pair[0].name > pair[1].name) std::swap(pair[0], pair[1]);
}

void readLinformer(std::vector<TensorUnit> matrices, bool isTransposed,
                   AttentionStructure& attention) {
  orderKeysFirst(matrices);
  attention.extra = AttentionExtra::Linformer;
  attention.isExtraTransposed = isTransposed;
  attention.extraShape = matrices.front().shape;
  for (const TensorUnit& unit : matrices) attention.extraTensors.push_back(unit.weight);
}

/// Returns true unless a matrix may mix the maps of heads: random features are more than a head is
/// wide, or are called projections.
bool mayBeFeatures(const TensorUnit& unit) {
  return unit.size(0) != unit.size(1) ||
         mentions(lowerCase(unit.name), {"proj", "feat", "random", "omega"});
}

/// Reads what stands beside the projections: Linformer's matrices, Performer's features or
/// Nyströmformer's convolution.
void readExtras(BlockUnits& units, const std::string& block, std::int64_t channels,
                std::int64_t tokens, AttentionStructure& attention) {
  const std::vector<TensorUnit> products = takeTokenProducts(units, channels, tokens);
  if (!products.empty() && (products.size() > 2 || !units.extras.empty() ||
                            products.front().shape != products.back().shape)) {
    refuseUnit(products.back(), block);
  }
  if (!products.empty()) return readLinformer(products, false, attention);
  if (units.extras.empty()) return;
  const TensorUnit& first = units.extras.front();
  const bool isConvolution =
      first.hasDimensions(4) && first.size(1) == 1 && first.size(3) == 1 && first.size(2) % 2 == 1;
  if (isConvolution && units.extras.size() == 1 && first.size(0) <= channels) {
    attention.extra = AttentionExtra::Nystrom;
    attention.heads = static_cast<int>(first.size(0));
  } else if (first.hasDimensions(2) && units.extras.size() == 2 &&
             first.shape == units.extras[1].shape && tokens > 0 && first.size(0) == tokens) {
    return readLinformer(units.extras, true, attention);
  } else if (first.hasDimensions(2) && units.extras.size() == 1 && first.size(1) > 1 &&
             first.size(1) <= channels && mayBeFeatures(first)) {
    attention.extra = AttentionExtra::Performer;
  } else {
    refuseUnit(first, block);
  }
  attention.extraTensors = {first.weight};
  attention.extraShape = first.shape;
}

NormPart normOf(const TensorUnit& unit) {
  return {unit.weight, unit.bias};
}

/// Returns the number that ends a name, as in `norm2` or `net.0`; -1 without one.
int numberAtEnd(const std::string& name) {
  constexpr std::size_t mostDigits = 4;
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  if (begin == name.size() || name.size() - begin > mostDigits) return -1;
  return std::stoi(name.substr(begin));
}

/// Tells which of a block's norms belongs to the attention and which to the mlp.
class NormRoles {
 public:
  NormRoles(const BlockStructure& block, const std::vector<std::string>& mlp, bool isOrdered)
      : attention_(block.attention.path), mlp_(commonPath(mlp)), isOrdered_(isOrdered) {}

  /// Returns true if the second norm is the attention's and the first the mlp's; nothing if nothing
  /// tells.
  std::optional<bool> areReversed(const TensorUnit& first, const TensorUnit& second) const {
    const int placed = placeOf(first.name) - placeOf(second.name);
    if (placed != 0) return placed > 0;
    const std::string one = lastPartOfName(first.name);
    const std::string other = lastPartOfName(second.name);
    const auto says = [&](std::initializer_list<std::string_view> words) {
      return static_cast<int>(mentions(one, words)) - static_cast<int>(mentions(other, words));
    };
    if (const int said = says({"before", "pre", "attn", "attention", "msa", "mha"})) {
      return said < 0;
    }
    if (const int said = says({"after", "post", "mlp", "ff"})) return said > 0;
    const int a = numberAtEnd(first.name);
    const int b = numberAtEnd(second.name);
    if (a >= 0 && b >= 0 && a != b) return a > b;
    return isOrdered_ ? std::optional(false) : std::nullopt;
  }

 private:
  static bool isInside(const std::string& name, const std::string& path) {
    return !path.empty() && name.starts_with(path) &&
           (name.size() == path.size() || name[path.size()] == '.');
  }

  /// Returns -1 for a name inside the attention's path, 1 for one inside the mlp's and 0 for any
  /// other. Paths that contain each other tell nothing.
  int placeOf(const std::string& name) const {
    const bool inAttention = isInside(name, attention_) && !isInside(mlp_, attention_);
    const bool inMlp = isInside(name, mlp_) && !isInside(attention_, mlp_);
    if (inAttention == inMlp) return sharedPlace(name);
    return inAttention ? -1 : 1;
  }

  /// Returns the same for a norm that stands beside a path: `.0.norm` beside `.0.fn`.
  int sharedPlace(const std::string& name) const {
    const std::string beside = parentPath(name);
    if (beside.empty()) return 0;
    const bool nearAttention = isInside(attention_, beside);
    const bool nearMlp = isInside(mlp_, beside);
    if (nearAttention == nearMlp) return 0;
    return nearAttention ? -1 : 1;
  }

  std::string attention_;
  std::string mlp_;
  bool isOrdered_;
};

void readNorms(const std::vector<TensorUnit>& norms, const std::vector<std::string>& mlp,
               const std::string& block, bool isOrdered, BlockStructure& read) {
  if (norms.empty()) return;
  const bool hasMlp = !mlp.empty();
  if (norms.size() > 2 || (norms.size() == 2 && !hasMlp)) {
    throw ModelError(
        "ambiguous block: " + block + " has " + std::to_string(norms.size()) + " norms (" +
        listText(norms, ", ",
                 [&](const TensorUnit& unit) {
                   return quotedText(unit.name.substr(unit.name.starts_with('.') ? 1 : 0));
                 }) +
        "), and nothing tells where they act");
  }
  read.norm1 = normOf(norms.front());
  if (norms.size() == 1) {
    if (hasMlp) read.norm2 = read.norm1;
    return;
  }
  const auto reversed = NormRoles(read, mlp, isOrdered).areReversed(norms[0], norms[1]);
  if (!reversed) {
    throw ModelError("ambiguous block: nothing tells which of the norms " +
                     quotedText(block + norms[0].name) + " and " +
                     quotedText(block + norms[1].name) + " is the attention's");
  }
  read.norm1 = normOf(norms[*reversed ? 1 : 0]);
  read.norm2 = normOf(norms[*reversed ? 0 : 1]);
}

/// Returns true if a norm stands in the mlp's Sequential with a lower number than its products.
bool isFirstInSequential(const TensorUnit& norm, const TensorUnit& expand) {
  const std::string path = parentPath(norm.name);
  const int norms = numberAtEnd(norm.name);
  return !path.empty() && path == parentPath(expand.name) &&
         lastPartOfName(norm.name).size() <= 2 && norms >= 0 && norms < numberAtEnd(expand.name);
}

void recogniseLibraries(const std::vector<TensorUnit>& units, BlockStructure& block) {
  std::set<std::string> names;
  for (const TensorUnit& unit : units) names.insert(unit.name);
  const auto hasAll = [&](std::initializer_list<const char*> wanted) {
    return std::ranges::all_of(wanted, [&](const char* name) { return names.count(name) > 0; });
  };
  block.isTorchEncoderLayer =
      hasAll({".self_attn.in_proj", ".linear1", ".linear2", ".norm1", ".norm2"});
  block.isTimmBlock =
      hasAll({".attn.qkv", ".attn.proj", ".mlp.fc1", ".mlp.fc2", ".norm1", ".norm2"});
}

}  // namespace

ProductPart productOf(const TensorUnit& unit, bool isTransposed) {
  return {.weight = unit.weight,
          .bias = unit.bias,
          .isTransposed = isTransposed,
          .inputs = unit.size(isTransposed ? 0 : 1),
          .outputs = unit.size(isTransposed ? 1 : 0)};
}

std::string unitText(const TensorUnit& unit) {
  return quotedText(unit.name) + " [" + listText(unit.shape) + "]";
}

BlockStructure readBlockStructure(const std::vector<TensorUnit>& units, const std::string& block,
                                  std::int64_t channels, std::int64_t tokens, bool isOrdered) {
  BlockUnits sorted = sortUnits(units, block, channels);
  BlockStructure read;
  readExtras(sorted, block, channels, tokens, read.attention);
  if (sorted.linears.empty()) throw ModelError("ambiguous block: " + block + " has no matrices");
  const bool isTransposed = storesInputsFirst(sorted.linears);
  requireBiases(sorted.linears, isTransposed, block);
  LinearRoles roles = assignLinears(sorted.linears, {block, channels, isTransposed, isOrdered});
  roles.attention.extra = read.attention.extra;
  roles.attention.extraTensors = read.attention.extraTensors;
  roles.attention.extraShape = read.attention.extraShape;
  roles.attention.isExtraTransposed = read.attention.isExtraTransposed;
  if (roles.attention.heads == 0) roles.attention.heads = read.attention.heads;
  read.attention = roles.attention;
  if (read.attention.extra == AttentionExtra::Performer) {
    const std::int64_t width = read.attention.extraShape[1];
    if (read.attention.inner % width != 0) refuseUnit(sorted.extras.front(), block);
    read.attention.heads = static_cast<int>(read.attention.inner / width);
  }
  std::vector<std::string> mlp;
  if (roles.expand) {
    read.expand = productOf(*roles.expand, isTransposed);
    read.contract = productOf(*roles.contract, isTransposed);
    mlp = {roles.expand->name, roles.contract->name};
  }
  readNorms(sorted.norms, mlp, block, isOrdered, read);
  for (const TensorUnit& norm : sorted.norms) {
    read.tellsNormsBefore =
        read.tellsNormsBefore || (roles.expand && isFirstInSequential(norm, *roles.expand));
  }
  std::vector<TensorUnit> inside;
  for (const TensorUnit& unit : units) inside.push_back(namedWithin(unit, block));
  recogniseLibraries(inside, read);
  return read;
}

}  // namespace softscope
