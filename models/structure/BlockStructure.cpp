#include "models/structure/BlockStructure.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/structure/BlockHalves.h"
#include "models/structure/LinearRoles.h"
#include "models/structure/PatchGrid.h"

#include <algorithm>
#include <set>

namespace softscope {

namespace {

/// The units of a block by kind, named as within the block.
struct BlockUnits {
  std::vector<TensorUnit> linears;
  std::vector<TensorUnit> norms;
  std::vector<TensorUnit> scales;
  std::vector<TensorUnit> headNorms;  ///< narrower than the tokens
  std::vector<TensorUnit> extras;
};

TensorUnit namedWithin(const TensorUnit& unit, const std::string& block) {
  TensorUnit inside = unit;
  for (std::string* name : {&inside.name, &inside.weight, &inside.bias}) {
    if (!name->empty()) name->erase(0, block.size());
  }
  return inside;
}

/// Returns true for a vector of the tokens' width without a bias: shapes [C], [1, C], [1, 1, C].
bool isVector(const TensorUnit& unit, std::int64_t channels) {
  if (unit.shape.empty() || unit.shape.size() > 3 || unit.shape.back() != channels) return false;
  const bool isOneRow =
      std::all_of(unit.shape.begin(), unit.shape.end() - 1, [](auto side) { return side == 1; });
  return isOneRow && unit.bias.empty() && !unit.isBatchNorm;
}

[[noreturn]] void refuseAsMask(const TensorUnit& whole) {
  throw ModelError("masked attention: " + unitText(whole) +
                   " may hide tokens from others, and nothing tells which");
}

[[noreturn]] void refuseUnit(const TensorUnit& unit, const std::string& block) {
  TensorUnit whole = unit;
  whole.name = block + unit.name;
  constexpr std::int64_t tableEntries = 256;
  if (unit.isBare && unit.shape == std::vector<std::int64_t>{tableEntries}) {
    throw ModelError("quantised lookup softmax: " + unitText(whole) +
                     " is a table of 256 entries that stands for a function");
  }
  const std::string name = lowerCase(unit.name);
  if (unit.isBare && mentions(name, {"mask", "tril", "causal"})) refuseAsMask(whole);
  if (unit.isBare && mentions(name, {"rel", "rpb", "bias_table", "pos"})) {
    throw ModelError("relative positions: " + unitText(whole) +
                     " is added to the scores of attention, and nothing tells how");
  }
  if (unit.isBare && unit.hasDimensions(2) && unit.size(0) == unit.size(1)) {
    throw ModelError("talking heads or re-attention, as in CaiT and DeepViT: " + unitText(whole) +
                     " mixes the maps of heads");
  }
  const bool isGate = unit.isBare && unit.hasDimensions(1) && saysGateOfVector(unit);
  throw ModelError(
      "tensor without a place: " + unitText(whole) +
      (isGate ? ", a gate, which may pass through a function that no weight shows" : ""));
}

/// Refuses a bare matrix without a place: a square one that is as wide as tokens, or called as
/// matrices of tokens are, mixes no maps.
[[noreturn]] void refuseBare(const TensorUnit& unit, const std::string& block,
                             std::int64_t channels) {
  const bool isSquare = unit.isBare && unit.hasDimensions(2) && unit.size(0) == unit.size(1);
  const std::string last = lastPartOfName(unit.name);
  const bool saysProduct =
      hasWord(last, {"q", "k", "v", "o", "w", "wq", "wk", "wv", "wo"}) || mentions(last, {"proj"});
  if (!isSquare || (unit.size(0) < channels && !saysProduct)) refuseUnit(unit, block);
  TensorUnit whole = unit;
  whole.name = block + unit.name;
  throw ModelError("bare matrix: nothing tells the orientation of " + unitText(whole) +
                   ", as tokens may be multiplied by it or by its transpose");
}

[[noreturn]] void refuseHeadNorms(const std::vector<TensorUnit>& norms, const std::string& block) {
  TensorUnit whole = norms.front();
  whole.name = block + whole.name;
  throw ModelError("tensor without a place: " + unitText(whole) +
                   ", a norm that is narrower than the tokens, as of queries and keys");
}

/// Reads the norms of each head's queries and keys, whose width tells the heads.
void readHeadNorms(const std::vector<TensorUnit>& norms, const std::string& block,
                   AttentionStructure& attention) {
  if (norms.empty()) return;
  const auto says = [](const TensorUnit& unit, const char* letter) {
    std::string name = lowerCase(unit.name);
    return mentions(name.substr(parentPath(unit.name).size()), {letter}) ||
           mentions(lastPartOfName(parentPath(unit.name)), {letter});
  };
  const std::int64_t width = norms.front().size(0);
  const bool areTwo = norms.size() == 2 && norms[1].shape == norms[0].shape &&
                      attention.inner % width == 0 && attention.extra == AttentionExtra::None;
  if (!areTwo) refuseHeadNorms(norms, block);
  for (const std::size_t query : {0, 1}) {
    const TensorUnit& other = norms[1 - query];
    if (!says(norms[query], "q") || says(other, "q") || !says(other, "k")) continue;
    attention.queryNorm = NormPart{norms[query].weight, norms[query].bias};
    attention.keyNorm = NormPart{other.weight, other.bias};
    attention.heads = static_cast<int>(attention.inner / width);
    return;
  }
  refuseHeadNorms(norms, block);
}

/// Throws for a norm whose name says that it averages over tokens as well.
void refuseGroupNorm(const TensorUnit& norm, const std::string& block) {
  const std::string name = lowerCase(norm.name);
  if (!hasWord(name, {"gn", "groupnorm"}) && !mentions(name, {"group_norm"})) return;
  TensorUnit whole = norm;
  whole.name = block + norm.name;
  throw ModelError("group norm: " + unitText(whole) +
                   " takes its mean over tokens as well, which no norm of tokens does");
}

/// Sorts the units of a block, which are named as within it.
BlockUnits sortUnits(const std::vector<TensorUnit>& units, const std::string& block,
                     std::int64_t channels) {
  BlockUnits sorted;
  for (const TensorUnit& unit : units) {
    if (isVector(unit, channels) && mayBeLayerScale(unit)) {
      sorted.scales.push_back(unit);
    } else if (isVector(unit, channels) && unit.isBare) {
      refuseUnit(unit, block);
    } else if (unit.isNorm(channels)) {
      refuseGroupNorm(unit, block);
      sorted.norms.push_back(unit);
    } else if (unit.hasDimensions(1) && unit.isNorm(unit.size(0)) && unit.size(0) < channels) {
      sorted.headNorms.push_back(unit);
    } else if (unit.hasDimensions(2) && !unit.isBare) {
      sorted.linears.push_back(unit);
    } else if ((unit.hasDimensions(2) && unit.isBare) ||
               (unit.hasDimensions(4) && unit.bias.empty() && !unit.isBatchNorm)) {
      sorted.extras.push_back(unit);
    } else {
      refuseUnit(unit, block);
    }
  }
  const std::vector<TensorUnit> lone = takeLoneNorms(sorted.scales, units, block);
  sorted.norms.insert(sorted.norms.end(), lone.begin(), lone.end());
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

/// Returns true for a matrix that someone keeps beside modules: `q_weight`, not `q.weight`. Those
/// of nn.MultiheadAttention are used as a Linear's.
bool isKeptByHand(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  const bool isOfTorch =
      last == "in_proj" || last == "q_proj" || last == "k_proj" || last == "v_proj";
  return unit.weight == unit.name + "_weight" && !isOfTorch;
}

/// Throws for a square matrix that someone keeps beside modules: those of a Linear do not tell how
/// it is stored, only other matrices of its kind do, by their biases or as three in one.
void refuseUntoldMatrices(const std::vector<TensorUnit>& linears, const std::string& block,
                          std::int64_t channels) {
  const bool areAll = std::ranges::all_of(linears, isKeptByHand);
  const bool isTold = std::ranges::any_of(linears, [&](const TensorUnit& unit) {
    const bool isThree = unit.size(0) == 3 * channels || unit.size(1) == 3 * channels;
    return isKeptByHand(unit) && unit.size(0) != unit.size(1) && (isThree || !unit.bias.empty());
  });
  if (areAll || isTold) return;
  for (TensorUnit unit : linears) {
    if (!isKeptByHand(unit) || unit.size(0) != unit.size(1)) continue;
    unit.name = unit.weight;
    unit.isBare = true;
    refuseBare(unit, block, channels);
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

bool saysFeatures(const TensorUnit& unit) {
  return mentions(lowerCase(unit.name), {"proj", "feat", "random", "omega"});
}

/// Returns true for the names of random features that no other matrix has.
bool saysRandomFeatures(const TensorUnit& unit) {
  return mentions(lowerCase(unit.name), {"projection_matrix", "feat", "random", "omega"});
}

/// Returns true unless a matrix may mix the maps of heads, or project tokens: random features are
/// more than a head is wide, or are called projections; those as many as channels are called more
/// clearly.
bool mayBeFeatures(const TensorUnit& unit, std::int64_t channels) {
  if (unit.size(0) != unit.size(1)) return true;
  return unit.size(0) == channels ? saysRandomFeatures(unit) : saysFeatures(unit);
}

bool saysOffsets(const TensorUnit& unit) {
  return mentions(lowerCase(unit.name), {"rel", "rpb", "bias", "pos", "offset"});
}

/// Returns true for a matrix whose own name says that it changes scores, or stands for keys or
/// tokens that are learned.
bool saysOfScores(const TensorUnit& unit) {
  return unit.isBare && unit.hasDimensions(2) &&
         mentions(lastPartOfName(unit.name), {"scale", "temp", "tau", "alibi", "slope", "gate",
                                              "decay", "sink", "null", "mem", "token"});
}

/// Returns true for a table with a row for every offset between two patches of a square, as
/// relative positions have it, and a column for each head.
bool mayBeOfOffsets(const TensorUnit& unit) {
  if (saysOffsets(unit)) return true;
  const std::int64_t side = sideOfPatches(unit.size(0));
  return side > 2 && side % 2 == 1 && !saysFeatures(unit);
}

/// Returns true for bare matrices of one shape that may shorten as many keys and values as there
/// are tokens: one for both, or one for each. They are `isTransposed` as [tokens, rank].
bool mayShorten(const std::vector<TensorUnit>& matrices, std::int64_t tokens, bool isTransposed) {
  const TensorUnit& first = matrices.front();
  const bool areAlike = matrices.size() <= 2 && first.isBare && first.hasDimensions(2) &&
                        first.shape == matrices.back().shape;
  if (!areAlike || first.size(isTransposed ? 0 : 1) != tokens) return false;
  const std::int64_t rank = first.size(isTransposed ? 1 : 0);
  return (matrices.size() == 2 ? rank != tokens : rank < tokens) &&
         std::ranges::none_of(matrices, saysOffsets);
}

[[noreturn]] void refuseEitherMatrix(const TensorUnit& unit, const std::string& block) {
  TensorUnit whole = unit;
  whole.name = block + unit.name;
  throw ModelError("ambiguous parameter: " + unitText(whole) +
                   " may shorten keys and values, as in Linformer, or hold random features, as in "
                   "Performer");
}

/// Reads bare matrices as Linformer's if their shapes say so. Returns false for those that hold
/// random features, or that are none of both; throws if a single one may be either.
bool readShortening(const std::vector<TensorUnit>& matrices, const std::string& block,
                    std::int64_t channels, std::int64_t tokens, AttentionStructure& attention) {
  const TensorUnit& first = matrices.front();
  const bool isSingle = matrices.size() == 1;
  if (isSingle && (!first.hasDimensions(2) || saysRandomFeatures(first))) return false;
  for (const bool isTransposed : {true, false}) {
    if (tokens == 0 || !mayShorten(matrices, tokens, isTransposed)) continue;
    if (isSingle && saysFeatures(first)) refuseEitherMatrix(first, block);
    readLinformer(matrices, isTransposed, attention);
    return true;
  }
  if (isSingle && tokens == 0 && !saysFeatures(first) && mayBeFeatures(first, channels) &&
      !mayBeOfOffsets(first)) {
    refuseEitherMatrix(first, block);
  }
  return false;
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
  const auto ofScores = std::ranges::find_if(units.extras, saysOfScores);
  if (ofScores != units.extras.end()) refuseUnit(*ofScores, block);
  if (units.extras.empty() || readShortening(units.extras, block, channels, tokens, attention)) {
    return;
  }
  const TensorUnit& first = units.extras.front();
  const bool isConvolution =
      first.hasDimensions(4) && first.size(1) == 1 && first.size(3) == 1 && first.size(2) % 2 == 1;
  if (isConvolution && units.extras.size() == 1 && 2 * first.size(0) <= channels) {
    attention.extra = AttentionExtra::Nystrom;
    attention.heads = static_cast<int>(first.size(0));
  } else if (first.hasDimensions(2) && units.extras.size() == 1 && first.size(1) > 1 &&
             first.size(1) <= channels && mayBeFeatures(first, channels) &&
             !mayBeOfOffsets(first)) {
    attention.extra = AttentionExtra::Performer;
  } else {
    refuseBare(first, block, channels);
  }
  attention.extraTensors = {first.weight};
  attention.extraShape = first.shape;
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
  block.isCompactBlock =
      hasAll({".pre_norm", ".self_attn.qkv", ".self_attn.proj", ".linear1", ".norm1", ".linear2"});
  block.isJeonsworldBlock = hasAll({".attention_norm", ".ffn_norm", ".ffn.fc1", ".ffn.fc2",
                                    ".attn.query", ".attn.key", ".attn.value", ".attn.out"});
}

}  // namespace

std::int64_t outputsOf(const TensorUnit& unit, bool isTransposed) {
  return unit.size(isTransposed ? 1 : 0);
}

std::int64_t inputsOf(const TensorUnit& unit, bool isTransposed) {
  return unit.size(isTransposed ? 0 : 1);
}

ProductPart productOf(const TensorUnit& unit, bool isTransposed) {
  return {.weight = unit.weight,
          .bias = unit.bias,
          .isTransposed = isTransposed,
          .inputs = inputsOf(unit, isTransposed),
          .outputs = outputsOf(unit, isTransposed)};
}

std::string unitText(const TensorUnit& unit) {
  return quotedText(unit.name) + " [" + listText(unit.shape) + "]";
}

void refuseMask(const TensorUnit& unit) {
  if (unit.isBare && mentions(lastPartOfName(unit.name), {"mask", "tril", "causal"})) {
    refuseAsMask(unit);
  }
}

BlockStructure readBlockStructure(const std::vector<TensorUnit>& units, const std::string& block,
                                  std::int64_t channels, std::int64_t tokens, bool isOrdered) {
  std::ranges::for_each(units, refuseMask);
  std::vector<TensorUnit> inside;
  for (const TensorUnit& unit : units) inside.push_back(namedWithin(unit, block));
  BlockUnits sorted = sortUnits(inside, block, channels);
  BlockStructure read;
  readExtras(sorted, block, channels, tokens, read.attention);
  if (sorted.linears.empty()) throw ModelError("ambiguous block: " + block + " has no matrices");
  refuseUntoldMatrices(sorted.linears, block, channels);
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
  readHeadNorms(sorted.headNorms, block, read.attention);
  std::vector<std::string> mlp;
  if (roles.expand) {
    read.expand = productOf(*roles.expand, isTransposed);
    read.contract = productOf(*roles.contract, isTransposed);
    mlp = {roles.expand->name, roles.contract->name};
    read.isMlpInFront = roles.isMlpInFront;
  }
  readNorms(sorted.norms, mlp, {block, isOrdered}, read);
  readLayerScales(sorted.scales, mlp, {block, isOrdered}, read);
  for (const TensorUnit& norm : sorted.norms) {
    read.tellsNormsBefore =
        read.tellsNormsBefore ||
        (roles.expand && isFirstInSequential(norm, *roles.expand, read.attention));
  }
  recogniseLibraries(inside, read);
  return read;
}

}  // namespace softscope
