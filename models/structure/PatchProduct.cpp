#include "models/structure/PatchProduct.h"

#include "core/Error.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace softscope {

namespace {

struct PixelPatch {
  std::int64_t channels = 0;
  std::int64_t side = 0;
};

/// Returns the channels and the side of a square patch of this many values. One channel and three
/// never fit both.
std::optional<PixelPatch> squarePatch(std::int64_t values) {
  for (const std::int64_t channels : {std::int64_t{1}, std::int64_t{3}}) {
    if (values % channels != 0) continue;
    const auto side =
        static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(values / channels))));
    if (side > 0 && channels * side * side == values) return PixelPatch{channels, side};
  }
  return std::nullopt;
}

}  // namespace

std::size_t findPatchProduct(const std::vector<TensorUnit>& linears,
                             const TransformerStructure& read, bool isOrdered) {
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < linears.size(); ++i) {
    if (linears[i].size(0) == read.channels && squarePatch(linears[i].size(1))) {
      possible.push_back(i);
    }
  }
  if (possible.empty()) throw ModelError("nothing in it makes tokens of pixels");
  if (possible.size() == 1) return possible.front();
  // A product of the head is as wide as the tokens are.
  std::vector<std::size_t> others;
  std::ranges::copy_if(possible, std::back_inserter(others),
                       [&](std::size_t i) { return linears[i].size(1) != read.channels; });
  if (others.size() == 1) return others.front();
  if (isOrdered) return possible.front();
  throw ModelError("ambiguous Linear: " + unitText(linears[possible[0]]) + " or " +
                   unitText(linears[possible[1]]) + " makes tokens of pixels");
}

PatchStructure patchProduct(const TensorUnit& unit) {
  const auto patch = squarePatch(unit.size(1));
  return {.weight = unit.weight,
          .bias = unit.bias,
          .isProduct = true,
          .pictureChannels = patch->channels,
          .height = patch->side,
          .width = patch->side,
          .normBefore = {},
          .normAfter = {}};
}

int numberOfSibling(const std::string& name) {
  const std::string last = lastPartOfName(name);
  int number = -1;
  const char* end = last.data() + last.size();
  const auto [stop, error] = std::from_chars(last.data(), end, number);
  return error == std::errc() && stop == end ? number : -1;
}

}  // namespace softscope
