#include "models/structure/BlockHalves.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/structure/ProjectionNames.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

/// Returns the number that ends a name, as in `norm2` or `net.0`; -1 without one.
int numberAtEnd(const std::string& name) {
  constexpr std::size_t mostDigits = 4;
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  if (begin == name.size() || name.size() - begin > mostDigits) return -1;
  return std::stoi(name.substr(begin));
}

/// Takes the parts at the end of two dotted names off that both have: `.ls1` and `.ls2` for
/// `.ls1.gamma` and `.ls2.gamma`.
void dropSharedEnd(std::string& a, std::string& b) {
  while (!parentPath(a).empty() && !parentPath(b).empty() &&
         lastPartOfName(a) == lastPartOfName(b)) {
    a = parentPath(a);
    b = parentPath(b);
  }
}

bool isBelow(const std::string& name, const std::string& path) {
  return !path.empty() && name.starts_with(path) &&
         (name.size() == path.size() || name[path.size()] == '.');
}

/// Returns the half that a name mentions alone.
std::optional<BlockHalf> halfInName(const std::string& name) {
  const bool attention = mentions(name, {"attn", "attention", "msa", "mha"});
  const bool mlp = mentions(name, {"mlp", "ff", "feed"});
  if (attention == mlp) return std::nullopt;
  return mlp ? BlockHalf::Mlp : BlockHalf::Attention;
}

/// Returns the half that one of two names mentions, or that mixes what it mentions: attention mixes
/// tokens and an mlp channels. The only norm of a block may be called `token_norm` as it is one of
/// all tokens.
std::optional<BlockHalf> halfAmongTwo(const std::string& name) {
  const bool mixesTokens = hasWord(name, {"token", "spatial"});
  const bool mixesChannels = hasWord(name, {"channel"});
  const auto half = halfInName(name);
  if (half || mixesTokens == mixesChannels) return half;
  return mixesChannels ? BlockHalf::Mlp : BlockHalf::Attention;
}

/// The places in a block, from its input to its output, that a norm's name leaves: 0 is in front of
/// the attention, 1 between attention and mlp, and 2 behind the mlp.
struct PlacesInBlock {
  int first = 0;
  int last = 2;
  bool saysMlp = false;

  bool operator==(const PlacesInBlock&) const = default;
};

/// Reads pairs of words first: `post_attention` and `pre_mlp` are between the halves. Only norms
/// are called after what they stand before or behind; a scale of the attention may be called
/// `post_attention` as well.
PlacesInBlock placesInBlock(const std::string& name, bool isOfNorm) {
  const bool before = mentions(name, {"before", "pre"});
  const bool after = mentions(name, {"after", "post"});
  const auto half = halfAmongTwo(name);
  const bool mlp = half == BlockHalf::Mlp;
  PlacesInBlock places;
  if (half) places = {mlp ? 1 : 0, mlp ? 2 : 1, mlp};
  if (before == after) return places;
  if (!half) return {before ? 0 : 1, before ? 1 : 2, false};
  if (isOfNorm) (before ? places.last : places.first) = before ? places.first : places.last;
  return places;
}

/// Returns -1 if the name of a norm says that it is the first of a block's, 1 if it says that it is
/// not, and 0 if it says neither.
int rankOfNorm(const std::string& name) {
  const bool isFirst =
      hasWord(name, {"first", "one", "top", "in", "input", "initial", "start", "begin"});
  const bool isLast = hasWord(
      name, {"second", "two", "last", "final", "bottom", "mid", "middle", "out", "output", "end"});
  return isFirst == isLast ? 0 : (isLast ? 1 : -1);
}

/// Returns true if the name of a norm says its place among a block's norms, and not just where in a
/// module it stands.
bool countsNorms(const std::string& name) {
  return hasWord(name, {"first", "second", "one", "two", "last", "final"});
}

/// Returns true if the second of two names is the first one with a number above 1: `norm`,
/// `norm_2`.
bool isNumberedAfter(const std::string& first, const std::string& second) {
  if (numberAtEnd(first) >= 0 || numberAtEnd(second) < 2) return false;
  const std::size_t end = second.find_last_not_of("0123456789_") + 1;
  return second.substr(0, end) == first;
}

/// Tells which of a block's vectors belongs to the attention and which to the mlp.
class HalfRoles {
 public:
  HalfRoles(const BlockStructure& block, const std::vector<std::string>& mlp, bool isOrdered,
            bool areNorms)
      : attention_(block.attention.path),
        mlp_(commonPath(mlp)),
        matrices_(mlp),
        isOrdered_(isOrdered),
        areNorms_(areNorms) {}

  /// Returns true if the second vector is the attention's and the first the mlp's; nothing if
  /// nothing tells.
  std::optional<bool> areReversed(const TensorUnit& first, const TensorUnit& second) const {
    const int placed = placeOf(first.name) - placeOf(second.name);
    if (placed != 0) return placed > 0;
    std::string one = first.name;
    std::string other = second.name;
    dropSharedEnd(one, other);
    const PlacesInBlock places = placesInBlock(lastPartOfName(one), areNorms_);
    const PlacesInBlock others = placesInBlock(lastPartOfName(other), areNorms_);
    if (places != others) return areReversedBy(places, others);
    const int rank = rankOfNorm(lastPartOfName(one));
    const int otherRank = rankOfNorm(lastPartOfName(other));
    // `final` says it of one name alone; `out` and `top` only where both names say it.
    const bool isSaid = rank * otherRank < 0 || countsNorms(lastPartOfName(one)) ||
                        countsNorms(lastPartOfName(other));
    if (areNorms_ && isSaid && rank != otherRank && !halfAmongTwo(lastPartOfName(one))) {
      return rank > otherRank;
    }
    if (isNumberedAfter(one, other)) return false;
    if (isNumberedAfter(other, one)) return true;
    const int a = numberAtEnd(one);
    const int b = numberAtEnd(other);
    if (a >= 0 && b >= 0 && a != b) return a > b;
    return isOrdered_ ? std::optional(false) : std::nullopt;
  }

  /// Returns true if neither place nor name says the half of two vectors, so that their order does.
  bool areInOrder(const TensorUnit& first, const TensorUnit& second) const {
    std::string one = first.name;
    std::string other = second.name;
    dropSharedEnd(one, other);
    return placeOf(first.name) == placeOf(second.name) && !halfAmongTwo(lastPartOfName(one)) &&
           !halfAmongTwo(lastPartOfName(other));
  }

  /// Returns the half that the place or the name of a vector alone says. A norm behind one half may
  /// be in front of the other.
  std::optional<BlockHalf> halfOf(const std::string& name) const {
    const int place = placeOf(name);
    if (place != 0) return place < 0 ? BlockHalf::Attention : BlockHalf::Mlp;
    const std::string last = lastPartOfName(name);
    return mentions(last, {"after", "post"}) ? std::nullopt : halfInName(last);
  }

  /// Returns true if a norm stands in the module of the attention's matrices, where it may act on
  /// what leaves the heads as well as on the tokens that come in, while nothing says that the
  /// block's other norm is the mlp's.
  bool mayActInside(const std::string& name, const std::string& other) const {
    const bool isInside = isBelow(name, attention_) && !isBelow(mlp_, attention_);
    const std::string last = lastPartOfName(other);
    const bool isBehind =
        placesInBlock(last, true).first > 0 || rankOfNorm(last) > 0 || numberAtEnd(other) > 1;
    const PlacesInBlock own = placesInBlock(lastPartOfName(name), true);
    const int rank = rankOfNorm(lastPartOfName(name));
    const bool isInFront = own.last == 0 || rank < 0;
    const bool isAfter = own.first > 0 || rank > 0;
    return isInside && placeOf(other) == 0 && !standsBesideMlp(other) && !isInFront &&
           (isAfter || !isBehind);
  }

  /// Returns true for a name in the module of one of the mlp's matrices: `.output.norm` beside
  /// `.output.dense`.
  bool standsBesideMlp(const std::string& name) const {
    const std::string module = parentPath(name);
    return !module.empty() && std::ranges::any_of(matrices_, [&](const std::string& matrix) {
      return parentPath(matrix) == module;
    });
  }

  /// Returns -1 for a name inside the attention's path or beside it, 1 for one of the mlp's and 0
  /// for any other. Paths that contain each other tell nothing.
  int placeOf(const std::string& name) const {
    const bool inAttention = isBelow(name, attention_) && !isBelow(mlp_, attention_);
    const bool inMlp = isBelow(name, mlp_) && !isBelow(attention_, mlp_);
    if (inAttention == inMlp) return sharedPlace(name);
    return inAttention ? -1 : 1;
  }

 private:
  /// Tells it by places that differ: the vector that comes first in the block is the attention's.
  /// Nothing tells if the places overlap, or if the first one is called after the mlp.
  static std::optional<bool> areReversedBy(const PlacesInBlock& one, const PlacesInBlock& other) {
    const PlacesInBlock unsaid;
    const bool areBothSaid = one != unsaid && other != unsaid;
    const bool isSame = one.first == other.first && one.last == other.last;
    const bool comesFirst = one.last <= other.first;
    const bool comesLast = other.last <= one.first;
    if (areBothSaid && (isSame || !(comesFirst || comesLast))) return std::nullopt;
    const bool isAfterUnsaid = one == unsaid ? other.first == 0 : one.first > 0;
    const bool isReversed = areBothSaid ? comesLast : isAfterUnsaid;
    return (isReversed ? other : one).saysMlp ? std::nullopt : std::optional(isReversed);
  }

  /// Returns what placeOf() does for a vector that stands beside a path: `.0.norm` beside `.0.fn`.
  int sharedPlace(const std::string& name) const {
    const std::string beside = parentPath(name);
    if (beside.empty()) return 0;
    const bool nearAttention = isBelow(attention_, beside);
    const bool nearMlp = isBelow(mlp_, beside);
    if (nearAttention == nearMlp) return 0;
    return nearAttention ? -1 : 1;
  }

  std::string attention_;
  std::string mlp_;
  std::vector<std::string> matrices_;  ///< of the mlp
  bool isOrdered_;
  bool areNorms_;
};

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

bool saysLayerScale(const TensorUnit& unit) {
  return (hasWord(unit.name, {"ls", "layerscale", "gamma", "lambda", "lam"}) ||
          mentions(lowerCase(unit.name), {"layer_scale", "layerscale"})) &&
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
    return unit.name != vector.name && isBelow(unit.name, module);
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

bool saysScaleAlone(const TensorUnit& unit) {
  return hasWord(unit.name, {"ls", "layerscale"}) ||
         mentions(lowerCase(unit.name), {"layer_scale", "layerscale"});
}

}  // namespace

bool isFirstInSequential(const TensorUnit& norm, const TensorUnit& expand,
                         const AttentionStructure& attention) {
  const std::string path = parentPath(norm.name);
  const int norms = numberAtEnd(norm.name);
  const auto isOfList = [&](const ProductPart& part) { return isBelow(part.weight, path); };
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
