#include "models/structure/BlockStructure.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/structure/AttentionExtras.h"
#include "models/structure/BlockHalves.h"
#include "models/structure/LinearRoles.h"
#include "models/structure/UnplacedTensors.h"

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

BlockStructure readBlockStructure(const std::vector<TensorUnit>& units, const std::string& block,
                                  std::int64_t channels, std::int64_t tokens, bool isOrdered) {
  std::ranges::for_each(units, refuseMask);
  std::vector<TensorUnit> inside;
  for (const TensorUnit& unit : units) inside.push_back(namedWithin(unit, block));
  BlockUnits sorted = sortUnits(inside, block, channels);
  BlockStructure read;
  readExtras(sorted.linears, sorted.extras, {block, channels, tokens, isOrdered}, read.attention);
  if (sorted.linears.empty()) throw ModelError("ambiguous block: " + block + " has no matrices");
  refuseUntoldMatrices(sorted.linears, block, channels);
  const bool isTransposed = storesInputsFirst(sorted.linears);
  requireBiases(sorted.linears, isTransposed, block);
  LinearRoles roles = assignLinears(sorted.linears, {block, channels, isTransposed, isOrdered});
  roles.attention.extra = read.attention.extra;
  roles.attention.extraTensors = read.attention.extraTensors;
  roles.attention.extraBiases = read.attention.extraBiases;
  roles.attention.isExtraOrderAssumed = read.attention.isExtraOrderAssumed;
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
