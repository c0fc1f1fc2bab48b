#include "models/structure/AttentionExtras.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/OtherNetworks.h"
#include "models/structure/PatchGrid.h"
#include "models/structure/ProjectionNames.h"
#include "models/structure/UnplacedTensors.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// Returns true for a Linear [rank, tokens] of Linformer's.
bool isShortening(const TensorUnit& unit, const ExtrasContext& context) {
  const std::int64_t rank = unit.size(0);
  const bool fitsBias = unit.bias.empty() || unit.biasShape == std::vector<std::int64_t>{rank};
  return unit.size(1) == context.tokens && fitsBias && rank < context.tokens &&
         rank != context.channels;
}

/// Takes the units with Linformer's Linear out of the linears.
std::vector<TensorUnit> takeTokenProducts(std::vector<TensorUnit>& linears,
                                          const ExtrasContext& context) {
  std::vector<TensorUnit> taken;
  if (context.tokens == 0 || context.tokens == context.channels) return taken;
  std::erase_if(linears, [&](const TensorUnit& unit) {
    const bool isTaken = isShortening(unit, context);
    if (isTaken) taken.push_back(unit);
    return isTaken;
  });
  return taken;
}

/// Orders Linformer's two matrices so that the one for keys comes first, and says whether nothing
/// but their order told them apart. Throws ModelError if that order tells nothing either.
void orderKeysFirst(std::vector<TensorUnit>& pair, const ExtrasContext& context,
                    AttentionStructure& attention) {
  const std::string& first = pair.front().name;
  const std::string& second = pair.back().name;
  auto isKeysFirst = keysComeFirst(first, second);
  if (!isKeysFirst) {
    attention.isExtraOrderAssumed = true;
    isKeysFirst = precedesByNumber(first, second);
  }
  if (!isKeysFirst && !context.isOrdered) {
    throw ModelError("ambiguous parameters: nothing tells which of " +
                     quotedText(context.block + first) + " and " +
                     quotedText(context.block + second) +
                     " shortens keys and which values, as this file does not keep the order in "
                     "which they were made; save the state dict with torch.save, or " +
                     recordingAdvice());
  }
  if (!isKeysFirst.value_or(true)) std::swap(pair[0], pair[1]);
}

void readLinformer(std::vector<TensorUnit> matrices, bool isTransposed,
                   const ExtrasContext& context, AttentionStructure& attention) {
  if (matrices.size() == 2) orderKeysFirst(matrices, context, attention);
  attention.extra = AttentionExtra::Linformer;
  attention.isExtraTransposed = isTransposed;
  attention.extraShape = matrices.front().shape;
  for (const TensorUnit& unit : matrices) {
    attention.extraTensors.push_back(unit.weight);
    attention.extraBiases.push_back(unit.bias);
  }
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

/// Returns true if heads may be as wide as random features in a matrix [features, width].
bool mayBeAsWide(const TensorUnit& features, const std::vector<TensorUnit>& linears) {
  const std::int64_t width = features.size(1);
  return std::ranges::any_of(linears, [&](const TensorUnit& unit) {
    return unit.size(0) % width == 0 && unit.size(1) % width == 0;
  });
}

/// Reads bare matrices as Linformer's if their shapes say so. Returns false for those that hold
/// random features, or that are none of both; throws if a single one may be either.
bool readShortening(const std::vector<TensorUnit>& linears, const std::vector<TensorUnit>& matrices,
                    const ExtrasContext& context, AttentionStructure& attention) {
  const TensorUnit& first = matrices.front();
  const bool isSingle = matrices.size() == 1;
  if (isSingle && (!first.hasDimensions(2) || saysRandomFeatures(first))) return false;
  for (const bool isTransposed : {true, false}) {
    if (context.tokens == 0 || !mayShorten(matrices, context.tokens, isTransposed)) continue;
    if (isSingle && saysFeatures(first) && mayBeAsWide(first, linears)) {
      refuseEitherMatrix(first, context.block);
    }
    readLinformer(matrices, isTransposed, context, attention);
    return true;
  }
  if (isSingle && context.tokens == 0 && !saysFeatures(first) &&
      mayBeFeatures(first, context.channels) && !mayBeOfOffsets(first)) {
    refuseEitherMatrix(first, context.block);
  }
  return false;
}

/// Returns the kind of a lone tensor that is neither Linformer's nor without a place; nothing for
/// one without.
std::optional<AttentionExtra> kindOfLone(const TensorUnit& unit, std::int64_t channels) {
  const bool isConvolution =
      unit.hasDimensions(4) && unit.size(1) == 1 && unit.size(3) == 1 && unit.size(2) % 2 == 1;
  if (isConvolution && 2 * unit.size(0) <= channels) return AttentionExtra::Nystrom;
  const bool isPerformers = unit.hasDimensions(2) && unit.size(1) > 1 && unit.size(1) <= channels &&
                            mayBeFeatures(unit, channels) && !mayBeOfOffsets(unit);
  return isPerformers ? std::optional(AttentionExtra::Performer) : std::nullopt;
}

}  // namespace

void readExtras(std::vector<TensorUnit>& linears, const std::vector<TensorUnit>& extras,
                const ExtrasContext& context, AttentionStructure& attention) {
  const std::vector<TensorUnit> products = takeTokenProducts(linears, context);
  if (!products.empty() &&
      (products.size() > 2 || !extras.empty() || products.front().shape != products.back().shape)) {
    refuseUnit(products.back(), context.block);
  }
  if (!products.empty()) return readLinformer(products, false, context, attention);
  const auto ofScores = std::ranges::find_if(extras, saysOfScores);
  if (ofScores != extras.end()) refuseUnit(*ofScores, context.block);
  if (extras.empty() || readShortening(linears, extras, context, attention)) return;
  const TensorUnit& first = extras.front();
  const auto kind = extras.size() == 1 ? kindOfLone(first, context.channels) : std::nullopt;
  if (!kind) refuseBare(first, context.block, context.channels);
  attention.extra = *kind;
  if (*kind == AttentionExtra::Nystrom) attention.heads = static_cast<int>(first.size(0));
  attention.extraTensors = {first.weight};
  attention.extraShape = first.shape;
}

}  // namespace softscope
