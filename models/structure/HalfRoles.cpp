#include "models/structure/HalfRoles.h"

#include <algorithm>

namespace softscope {

namespace {

/// Takes the parts at the end of two dotted names off that both have: `.ls1` and `.ls2` for
/// `.ls1.gamma` and `.ls2.gamma`.
void dropSharedEnd(std::string& a, std::string& b) {
  while (!parentPath(a).empty() && !parentPath(b).empty() &&
         lastPartOfName(a) == lastPartOfName(b)) {
    a = parentPath(a);
    b = parentPath(b);
  }
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

/// Returns areReversed() of two vectors by places that differ: the one that comes first in the
/// block is the attention's. Nothing tells if the places overlap, or if the first one is called
/// after the mlp.
std::optional<bool> areReversedBy(const PlacesInBlock& one, const PlacesInBlock& other) {
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

}  // namespace

std::optional<BlockHalf> halfInName(const std::string& name) {
  const bool attention = mentions(name, {"attn", "attention", "msa", "mha"});
  const bool mlp = mentions(name, {"mlp", "ff", "feed"});
  if (attention == mlp) return std::nullopt;
  return mlp ? BlockHalf::Mlp : BlockHalf::Attention;
}

HalfRoles::HalfRoles(const BlockStructure& block, const std::vector<std::string>& mlp,
                     bool isOrdered, bool areNorms)
    : attention_(block.attention.path),
      mlp_(commonPath(mlp)),
      matrices_(mlp),
      isOrdered_(isOrdered),
      areNorms_(areNorms) {}

std::optional<bool> HalfRoles::areReversed(const TensorUnit& first,
                                           const TensorUnit& second) const {
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

bool HalfRoles::areInOrder(const TensorUnit& first, const TensorUnit& second) const {
  std::string one = first.name;
  std::string other = second.name;
  dropSharedEnd(one, other);
  return placeOf(first.name) == placeOf(second.name) && !halfAmongTwo(lastPartOfName(one)) &&
         !halfAmongTwo(lastPartOfName(other));
}

std::optional<BlockHalf> HalfRoles::halfOf(const std::string& name) const {
  const int place = placeOf(name);
  if (place != 0) return place < 0 ? BlockHalf::Attention : BlockHalf::Mlp;
  const std::string last = lastPartOfName(name);
  return mentions(last, {"after", "post"}) ? std::nullopt : halfInName(last);
}

bool HalfRoles::mayActInside(const std::string& name, const std::string& other) const {
  const bool isInside = isAtOrBelow(name, attention_) && !isAtOrBelow(mlp_, attention_);
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

bool HalfRoles::standsBesideMlp(const std::string& name) const {
  const std::string module = parentPath(name);
  return !module.empty() && std::ranges::any_of(matrices_, [&](const std::string& matrix) {
    return parentPath(matrix) == module;
  });
}

int HalfRoles::placeOf(const std::string& name) const {
  const bool inAttention = isAtOrBelow(name, attention_) && !isAtOrBelow(mlp_, attention_);
  const bool inMlp = isAtOrBelow(name, mlp_) && !isAtOrBelow(attention_, mlp_);
  if (inAttention == inMlp) return sharedPlace(name);
  return inAttention ? -1 : 1;
}

int HalfRoles::sharedPlace(const std::string& name) const {
  const std::string beside = parentPath(name);
  if (beside.empty()) return 0;
  const bool nearAttention = isAtOrBelow(attention_, beside);
  const bool nearMlp = isAtOrBelow(mlp_, beside);
  if (nearAttention == nearMlp) return 0;
  return nearAttention ? -1 : 1;
}

}  // namespace softscope
