#include "models/structure/PixelBuffers.h"

#include "core/Error.h"
#include "models/structure/BlockStructure.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace softscope {

namespace {

constexpr std::size_t lettersOfMean = 4;

/// Returns the name of the deviation beside a mean: `pixel_std` for `pixel_mean`; empty for a name
/// that is not of a mean.
std::string deviationBeside(const std::string& mean) {
  const std::string last = lastPartOfName(mean);
  if (last != "mean" && !last.ends_with("_mean")) return {};
  return mean.substr(0, mean.size() - lettersOfMean) + "std";
}

/// Returns true for three numbers of which each stands in front of a picture's rows and columns:
/// [3], [3, 1, 1] or [1, 3, 1, 1].
bool isOfColours(const TensorUnit& unit) {
  const std::vector<std::vector<std::int64_t>> shapes{{3}, {3, 1, 1}, {1, 3, 1, 1}};
  return unit.isBare && std::ranges::find(shapes, unit.shape) != shapes.end();
}

/// Returns true if the numbers may be of pixels between 0 and 1.
bool areOfFractions(const StateDict& state, const PixelBuffers& buffers) {
  const torch::Tensor& mean = *state.find(buffers.mean.name);
  const torch::Tensor& deviation = *state.find(buffers.deviation.name);
  return mean.ge(0).logical_and(mean.le(1)).all().item<bool>() &&
         deviation.gt(0).logical_and(deviation.le(1)).all().item<bool>();
}

}  // namespace

std::optional<PixelBuffers> takePixelBuffers(const StateDict& state,
                                             std::vector<TensorUnit>& units) {
  const auto find = [&](const std::string& name) {
    return std::ranges::find_if(
        units, [&](const TensorUnit& unit) { return unit.name == name && isOfColours(unit); });
  };
  const auto mean = std::ranges::find_if(units, [&](const TensorUnit& unit) {
    return isOfColours(unit) && find(deviationBeside(unit.name)) != units.end();
  });
  if (mean == units.end()) return std::nullopt;
  const PixelBuffers found{.mean = *mean, .deviation = *find(deviationBeside(mean->name))};
  if (!areOfFractions(state, found)) {
    throw ModelError("tensor without a place: " + unitText(found.mean) +
                     ", a mean of pixels that do not lie between 0 and 1");
  }
  std::erase_if(units, [&](const TensorUnit& unit) {
    return unit.name == found.mean.name || unit.name == found.deviation.name;
  });
  return found;
}

}  // namespace softscope
