#include "core/analysis/deletion/PatchRemover.h"

#include "core/analysis/deletion/LinearImputation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace softscope {

namespace {

/// Returns [length] the cell of each pixel along a side that is split evenly into `cells`.
std::vector<int> cellsAlong(int length, int cells) {
  std::vector<int> of(static_cast<std::size_t>(length));
  for (int cell = 0; cell < cells; ++cell) {
    const auto end = static_cast<std::int64_t>(length) * (cell + 1) / cells;
    for (auto at = static_cast<std::int64_t>(length) * cell / cells; at < end; ++at) {
      of[static_cast<std::size_t>(at)] = cell;
    }
  }
  return of;
}

/// One line of a picture, with its values `stride` apart.
struct PixelLine {
  const float* from;
  float* to;
  int length;
  std::ptrdiff_t stride;
};

void blurLine(const PixelLine& line, const std::vector<double>& weights) {
  const int reach = static_cast<int>(weights.size()) - 1;
  for (int at = 0; at < line.length; ++at) {
    double sum = 0;
    double weight = 0;
    for (int other = std::max(0, at - reach); other <= std::min(line.length - 1, at + reach);
         ++other) {
      const double share = weights[static_cast<std::size_t>(std::abs(other - at))];
      sum += share * static_cast<double>(line.from[other * line.stride]);
      weight += share;
    }
    line.to[at * line.stride] = static_cast<float>(sum / weight);
  }
}

}  // namespace

TokenGrid patchGrid(int height, int width, int patch) {
  const auto cells = [patch](int side) {
    return std::max(1, static_cast<int>(std::lround(static_cast<double>(side) / patch)));
  };
  return {cells(height), cells(width)};
}

InputTensor blurred(const InputTensor& input, double deviation) {
  std::vector<double> weights(static_cast<std::size_t>(std::ceil(3 * deviation)) + 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double distance = static_cast<double>(i) / deviation;
    weights[i] = std::exp(-0.5 * distance * distance);
  }
  InputTensor across = input;
  InputTensor both = input;
  const std::ptrdiff_t width = input.width;
  const std::ptrdiff_t pixels = width * input.height;
  const auto lines = static_cast<std::ptrdiff_t>(input.values.size()) / width;
  for (std::ptrdiff_t i = 0; i < lines; ++i) {
    blurLine({&input.values[static_cast<std::size_t>(i * width)],
              &across.values[static_cast<std::size_t>(i * width)], input.width, 1},
             weights);
  }
  for (std::ptrdiff_t i = 0; i < lines / input.height * width; ++i) {
    const auto first = static_cast<std::size_t>(i / width * pixels + i % width);
    blurLine({&across.values[first], &both.values[first], input.height, width}, weights);
  }
  return both;
}

PatchRemover::PatchRemover(const InputTensor& input, const TokenGrid& grid, PatchRemoval removal)
    : input_(input), removal_(removal) {
  if (removal == PatchRemoval::Imputation) {
    noise_ = imputationNoise(input.values.size(), imputationDeviation);
  } else if (removal == PatchRemoval::Blur) {
    instead_ = blurred(input, std::max(static_cast<double>(input.height) / grid.height,
                                       static_cast<double>(input.width) / grid.width));
  } else {
    instead_ = {input.height, input.width, std::vector<float>(input.values.size(), 0.0f),
                input.channels};
  }
  const std::vector<int> rows = cellsAlong(input.height, grid.height);
  const std::vector<int> columns = cellsAlong(input.width, grid.width);
  for (const int row : rows) {
    for (const int column : columns) patches_.push_back(row * grid.width + column);
  }
}

InputTensor PatchRemover::imputed(const std::vector<bool>& kept) const {
  std::vector<bool> pixels;
  for (const int patch : patches_) pixels.push_back(kept[static_cast<std::size_t>(patch)]);
  InputTensor picture = linearlyImputed(input_, pixels);
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    if (!pixels[i % pixels.size()]) picture.values[i] += noise_[i];
  }
  return picture;
}

InputTensor PatchRemover::with(const std::vector<bool>& kept) const {
  if (removal_ == PatchRemoval::Imputation) return imputed(kept);
  InputTensor picture = instead_;
  for (std::size_t i = 0; i < picture.values.size(); ++i) {
    const int patch = patches_[i % patches_.size()];
    if (kept[static_cast<std::size_t>(patch)]) picture.values[i] = input_.values[i];
  }
  return picture;
}

}  // namespace softscope
