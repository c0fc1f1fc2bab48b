#include "models/structure/PatchProduct.h"

#include "core/Error.h"
#include "models/structure/PatchGrid.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace softscope {

namespace {

struct PixelPatch {
  std::int64_t channels = 0;
  std::int64_t side = 0;
};

/// Returns a square patch of this many values if it has so many channels.
std::optional<PixelPatch> squarePatchOf(std::int64_t channels, std::int64_t values) {
  if (channels < 1 || values % channels != 0) return std::nullopt;
  const std::int64_t side = sideOfPatches(values / channels);
  return side > 0 ? std::optional(PixelPatch{channels, side}) : std::nullopt;
}

/// Returns the channels and the side of a square patch of this many values: those that something
/// says, or else one channel or three, which never fit both. Three may as well be twelve of half
/// the side, which hardly any pictures have, and one may be four.
std::optional<PixelPatch> squarePatch(std::int64_t values, const SaidGrid& said) {
  if (const auto patch = squarePatchOf(said.channels.value_or(0), values)) return patch;
  constexpr std::int64_t mostBands = 16;
  const std::int64_t area = said.patch.value_or(0) * said.patch.value_or(0);
  if (area > 0 && values % area == 0 && values / area <= mostBands) {
    if (const auto patch = squarePatchOf(values / area, values)) return patch;
  }
  const auto grey = squarePatchOf(1, values);
  return grey ? grey : squarePatchOf(3, values);
}

/// Throws for a file without a product of a square patch's pixels; names one that gives out tokens
/// of other patches.
[[noreturn]] void refuseOtherPatches(const std::vector<TensorUnit>& linears,
                                     std::int64_t channels) {
  const auto embeds = [&](const TensorUnit& unit) {
    return unit.size(0) == channels && unit.size(1) != channels;
  };
  const auto found = std::ranges::find_if(linears, embeds);
  if (found == linears.end()) throw ModelError("nothing in it makes tokens of pixels");
  const std::string values = std::to_string(found->size(1));
  throw ModelError("no square patches: " + unitText(*found) + " may make tokens of pixels, and " +
                   values +
                   " values are no square patch of one channel or three; Softscope opens " +
                   "patches of a Linear that are square (if pictures have other channels, "
                   "in_chans in config.json says so)");
}

}  // namespace

void refuseShiftedPatches(const std::vector<TensorUnit>& linears,
                          const std::vector<TensorUnit>& others, std::int64_t channels,
                          const SaidGrid& said) {
  constexpr std::int64_t copies = 5;
  for (const TensorUnit& unit : linears) {
    const std::int64_t values = unit.size(1);
    const bool hasNorm =
        std::ranges::any_of(others, [&](const TensorUnit& other) { return other.isNorm(values); });
    const bool isOfCopies = squarePatchOf(copies, values) || squarePatchOf(3 * copies, values);
    const bool isSaid = squarePatchOf(said.channels.value_or(0), values).has_value();
    // A product of the head is as wide as the tokens are, and follows their norm.
    const bool mayEmbed = unit.size(0) == channels && values != channels;
    if (!mayEmbed || !hasNorm || !isOfCopies || isSaid) continue;
    const std::string bands = squarePatchOf(copies, values) ? "5" : "15";
    throw ModelError("shifted patches: " + unitText(unit) +
                     " takes the pixels of a patch in the picture and in four shifted copies, "
                     "which Softscope does not make (if pictures have " +
                     bands + " channels, \"in_chans\": " + bands + " in config.json says so)");
  }
}

std::size_t findPatchProduct(const std::vector<TensorUnit>& linears, std::int64_t channels,
                             const OuterContext& context) {
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < linears.size(); ++i) {
    if (linears[i].size(0) == channels && squarePatch(linears[i].size(1), context.said)) {
      possible.push_back(i);
    }
  }
  if (possible.empty()) refuseOtherPatches(linears, channels);
  if (possible.size() == 1) return possible.front();
  // A product of the head is as wide as the tokens are.
  std::vector<std::size_t> others;
  std::ranges::copy_if(possible, std::back_inserter(others),
                       [&](std::size_t i) { return linears[i].size(1) != channels; });
  if (others.size() == 1) return others.front();
  if (context.isOrdered) return possible.front();
  throw ModelError("ambiguous Linear: " + unitText(linears[possible[0]]) + " or " +
                   unitText(linears[possible[1]]) + " makes tokens of pixels");
}

PatchStructure patchProduct(const TensorUnit& unit, const SaidGrid& said) {
  const auto patch = squarePatch(unit.size(1), said);
  const bool isSaid = said.channels == patch->channels || said.patch == patch->side;
  return {.weight = unit.weight,
          .bias = unit.bias,
          .isProduct = true,
          .pictureChannels = patch->channels,
          .areChannelsSaid = isSaid,
          .mayHaveFourChannels = patch->channels == 1 && patch->side % 2 == 0 && !isSaid,
          .height = patch->side,
          .width = patch->side,
          .normBefore = {},
          .normAfter = {}};
}

}  // namespace softscope
