#include "models/structure/BlockHalves.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/structure/HalfRoles.h"
#include "models/structure/ProjectionNames.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

std::string namesOf(const std::vector<TensorUnit>& units) {
  return listText(units, ", ", [](const TensorUnit& unit) {
    return quotedText(unit.name.substr(unit.name.starts_with('.') ? 1 : 0));
  });
}

NormPart normOf(const TensorUnit& unit) {
  return {unit.weight, unit.bias};
}

/// Puts the attention's vector first, or throws.
std::pair<TensorUnit, TensorUnit> attentionFirst(const std::vector<TensorUnit>& two,
                                                 const HalfRoles& roles, const std::string& kind,
                                                 const std::string& block) {
  const auto reversed = roles.areReversed(two[0], two[1]);
  if (!reversed) {
    throw ModelError("ambiguous block: nothing tells which of the " + kind + " " +
                     quotedText(block + two[0].name) + " and " + quotedText(block + two[1].name) +
                     " is the attention's");
  }
  return *reversed ? std::pair(two[1], two[0]) : std::pair(two[0], two[1]);
}

/// Throws for two vectors that stand in the module of one half, both of which may be of that half.
void refuseOfOneHalf(const std::vector<TensorUnit>& two, const HalfRoles& roles,
                     const std::string& kind, const std::string& block) {
  const int place = roles.placeOf(two[0].name);
  if (place == 0 || roles.placeOf(two[1].name) != place) return;
  throw ModelError("ambiguous block: both " + kind + ", " + quotedText(block + two[0].name) +
                   " and " + quotedText(block + two[1].name) + ", stand in the module of the " +
                   (place < 0 ? "attention" : "mlp") + ", and nothing tells where in it they act");
}

/// Returns true if the name of a norm, or of the module that it stands in, says that it is of
/// queries, keys or values. A norm of all three is one of the tokens that they are made of.
bool saysNormOfProjections(const std::string& name) {
  const auto isSome = [](const std::string& part) {
    constexpr std::size_t all = 3;
    const std::size_t letters = projectionLetters(part).size();
    return letters > 0 && letters < all;
  };
  const std::string last = lastPartOfName(name);
  for (const std::string_view letter : {"q", "k", "v"}) {
    for (const std::string_view norm : {"norm", "ln", "rms"}) {
      const bool isJoined = last == std::string(letter) + std::string(norm) ||
                            last == std::string(norm) + std::string(letter);
      if (isJoined) return true;
    }
    if (last == "n" + std::string(letter) || last == std::string(letter) + "n") return true;
  }
  const std::string module = lastPartOfName(parentPath(name));
  return numberOfSibling(last) < 0 && (isSome(last) || (!halfInName(module) && isSome(module)));
}

/// Throws for a norm as wide as the tokens that acts between the matrices of the attention, or of
/// the mlp: of queries, keys or values, or between two products.
void refuseInnerNorms(const std::vector<TensorUnit>& norms, const std::vector<std::string>& mlp,
                      const BlockOfVectors& block, const HalfRoles& roles) {
  const auto refuse = [&](const TensorUnit& norm, const std::string& why) {
    TensorUnit whole = norm;
    whole.name = block.path + norm.name;
    throw ModelError("tensor without a place: " + unitText(whole) + ", a norm " + why);
  };
  for (const TensorUnit& norm : norms) {
    if (saysNormOfProjections(norm.name)) {
      refuse(norm, "of queries, keys or values, which is as wide as all heads together");
    }
    const bool isBetween = mlp.size() == 2 && parentPath(norm.name) == parentPath(mlp[0]) &&
                           parentPath(norm.name) == parentPath(mlp[1]) &&
                           numberOfSibling(norm.name) > numberOfSibling(mlp[0]) &&
                           numberOfSibling(norm.name) < numberOfSibling(mlp[1]);
    const bool isCalledSo = hasWord(lastPartOfName(norm.name), {"inner", "mid", "middle"}) &&
                            roles.placeOf(norm.name) != 0;
    if (isBetween || isCalledSo) refuse(norm, "between two products of one half of the block");
  }
  if (norms.size() != 2) return;
  refuseOfOneHalf(norms, roles, "norms", block.path);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (!roles.mayActInside(norms[i].name, norms[1 - i].name)) continue;
    throw ModelError("ambiguous block: nothing tells whether " +
                     quotedText(block.path + norms[i].name) +
                     " acts in front of the attention or inside it, and whether " +
                     quotedText(block.path + norms[1 - i].name) + " is the mlp's alone");
  }
}

bool saysScaleAlone(const TensorUnit& unit) {
  return hasWord(unit.name, {"ls", "layerscale"}) ||
         mentions(lowerCase(unit.name), {"layer_scale", "layerscale"});
}

bool saysLayerScale(const TensorUnit& unit) {
  return (saysScaleAlone(unit) || hasWord(unit.name, {"gamma", "lambda", "lam"})) &&
         !hasWord(unit.name, {"res", "residual", "skip"});
}

/// The place of a vector that is a module of its own among the numbered modules beside it.
struct PlaceAmongModules {
  bool isInFront = false;  ///< of a module with matrices
  bool isBehind = false;   ///< a module with matrices
};

/// Returns the number of the module of a list that a unit is in; -1 if it is in none.
int numberInList(const TensorUnit& unit, const std::string& list) {
  if (!unit.name.starts_with(list + ".")) return -1;
  const std::string rest = unit.name.substr(list.size() + 1);
  return numberOfSibling(rest.substr(0, rest.find('.')));
}

/// Returns the place of a vector such as `.0.gamma`; nothing for one that shares its module.
std::optional<PlaceAmongModules> placeAmongModules(const TensorUnit& vector,
                                                   const std::vector<TensorUnit>& units) {
  const std::string module = parentPath(vector.name);
  const bool isShared = std::ranges::any_of(units, [&](const TensorUnit& unit) {
    return unit.name != vector.name && isAtOrBelow(unit.name, module);
  });
  if (!vector.isBare || module.empty() || isShared) return std::nullopt;
  const int number = numberOfSibling(module);
  if (number < 0) return PlaceAmongModules{};
  std::map<int, bool> hasMatrices;
  for (const TensorUnit& unit : units) {
    const int other = numberInList(unit, parentPath(module));
    const bool isMatrix = !unit.isBare && unit.hasDimensions(2);
    if (other >= 0) hasMatrices[other] = hasMatrices[other] || isMatrix;
  }
  const auto own = hasMatrices.find(number);
  const auto next = std::next(own);
  return PlaceAmongModules{.isInFront = next != hasMatrices.end() && next->second,
                           .isBehind = own != hasMatrices.begin() && std::prev(own)->second};
}

}  // namespace

bool isFirstInSequential(const TensorUnit& norm, const TensorUnit& expand,
                         const AttentionStructure& attention) {
  const std::string path = parentPath(norm.name);
  const int norms = numberAtEnd(norm.name);
  const auto isOfList = [&](const ProductPart& part) { return isAtOrBelow(part.weight, path); };
  const auto holdsOne = [&](const std::vector<ProductPart>& parts) {
    return std::ranges::any_of(parts, isOfList);
  };
  return !path.empty() && path == parentPath(expand.name) &&
         lastPartOfName(norm.name).size() <= 2 && norms >= 0 && norms < numberAtEnd(expand.name) &&
         std::ranges::none_of(attention.projections, holdsOne) &&
         !(attention.output && isOfList(*attention.output));
}

std::vector<TensorUnit> takeLoneNorms(std::vector<TensorUnit>& vectors,
                                      const std::vector<TensorUnit>& units,
                                      const std::string& block) {
  constexpr std::size_t mostVectors = 8;
  if (vectors.empty() || vectors.size() > mostVectors) return {};
  constexpr std::ptrdiff_t normsOfBlock = 2;
  const auto norms = std::ranges::count_if(
      units, [&](const TensorUnit& unit) { return unit.isNorm(vectors.front().shape.back()); });
  const bool leads = std::ranges::any_of(vectors, [&](const TensorUnit& vector) {
    const auto place = placeAmongModules(vector, units);
    return place && place->isInFront && !place->isBehind;
  });
  std::vector<TensorUnit> taken;
  std::erase_if(vectors, [&](const TensorUnit& vector) {
    const auto place = placeAmongModules(vector, units);
    if (!place || saysScaleAlone(vector)) return false;
    const bool isNorm = place->isInFront && leads && vector.hasDimensions(1);
    const bool isScale = norms >= normsOfBlock || (!place->isInFront && (norms > 0 || leads));
    if (!isNorm && !isScale) {
      throw ModelError("ambiguous block: " + quotedText(block + vector.name) +
                       " may be a norm without a bias or a layer scale, and nothing tells which");
    }
    if (isNorm) taken.push_back(vector);
    return isNorm;
  });
  return taken;
}

void readNorms(const std::vector<TensorUnit>& norms, const std::vector<std::string>& mlp,
               const BlockOfVectors& block, BlockStructure& read) {
  if (norms.empty()) return;
  const bool hasMlp = !mlp.empty();
  const HalfRoles roles(read, mlp, block.isOrdered, true);
  refuseInnerNorms(norms, mlp, block, roles);
  if (norms.size() > 2 || (norms.size() == 2 && !hasMlp)) {
    throw ModelError("ambiguous block: " + block.path + " has " + std::to_string(norms.size()) +
                     " norms (" + namesOf(norms) + "), and nothing tells where they act");
  }
  read.norm1 = normOf(norms.front());
  if (norms.size() == 1) {
    if (!hasMlp) return;
    read.norm2 = read.norm1;
    read.halfOfNorm = roles.halfOf(norms.front().name);
    return;
  }
  const auto [first, second] = attentionFirst(norms, roles, "norms", block.path);
  read.areNormsInOrder = roles.areInOrder(first, second);
  read.norm1 = normOf(first);
  read.norm2 = normOf(second);
}

bool saysGateOfVector(const TensorUnit& vector) {
  return mentions(lastPartOfName(vector.name), {"gate", "gating", "sigmoid", "tanh"});
}

bool mayBeLayerScale(const TensorUnit& vector) {
  if (!vector.isBare) return saysLayerScale(vector) || hasWord(vector.name, {"scale"});
  return !saysGateOfVector(vector) &&
         !hasWord(vector.name, {"norm", "rms", "rmsnorm", "ln", "layernorm", "q", "k", "v", "u",
                                "b", "query", "key", "value", "temperature", "mix"}) &&
         !mentions(lowerCase(vector.name),
                   {"bias", "norm", "pos", "token", "mask", "decay", "emb", "offset", "shift",
                    "prompt", "per_dim", "head_scale"}) &&
         !hasWord(lastPartOfName(vector.name), {"tau", "rel", "ctx", "context", "temp"});
}

void readLayerScales(const std::vector<TensorUnit>& scales, const std::vector<std::string>& mlp,
                     const BlockOfVectors& block, BlockStructure& read) {
  if (scales.empty()) return;
  const auto bare = [](const TensorUnit& unit) { return BareTensor{unit.weight, unit.shape}; };
  const HalfRoles roles(read, mlp, block.isOrdered, false);
  read.saysLayerScale = std::ranges::all_of(scales, saysLayerScale);
  if (scales.size() > 2 || (scales.size() == 2 && mlp.empty())) {
    throw ModelError("ambiguous block: " + block.path + " has " + std::to_string(scales.size()) +
                     " vectors of the tokens' width (" + namesOf(scales) +
                     "), and nothing tells what they multiply");
  }
  if (scales.size() == 2) {
    if (!read.saysLayerScale) refuseOfOneHalf(scales, roles, "vectors", block.path);
    const auto [first, second] = attentionFirst(scales, roles, "layer scales", block.path);
    read.areScalesInOrder = roles.areInOrder(first, second);
    read.scale1 = bare(first);
    read.scale2 = bare(second);
    return;
  }
  // One vector that is not called a layer scale may multiply queries, or be added to tokens.
  const int place = mlp.empty() ? -1 : roles.placeOf(scales.front().name);
  if (!read.saysLayerScale && (place != 0 || mlp.empty())) {
    throw ModelError("ambiguous block: nothing tells what " +
                     quotedText(block.path + scales.front().name) +
                     " multiplies, or whether it is added, since the block has no other vector and "
                     "this one is not called a layer scale");
  }
  if (place == 0) {
    throw ModelError("ambiguous block: nothing tells whether " +
                     quotedText(block.path + scales.front().name) +
                     " multiplies what the attention adds, or the mlp, or both");
  }
  (place < 0 ? read.scale1 : read.scale2) = bare(scales.front());
}

}  // namespace softscope
