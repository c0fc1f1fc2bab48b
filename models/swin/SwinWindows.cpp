#include "models/swin/SwinWindows.h"

#include "models/swin/SwinConfiguration.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace softscope {

namespace {

int paddedSide(int side, int window) {
  return (side + window - 1) / window * window;
}

/// Returns the part of a side that a place lies in, so that places of different parts were not
/// neighbours before the shift.
int partOfSide(int place, int side, int window, int shift) {
  if (shift == 0) return 0;
  return (place >= side - window ? 1 : 0) + (place >= side - shift ? 1 : 0);
}

/// The token at each place of the padded and shifted grid.
class ShiftedGrid {
 public:
  ShiftedGrid(const TokenGrid& grid, const SwinWindows& windows)
      : grid_(grid),
        windows_(windows),
        height_(paddedSide(grid.height, windows.window.height)),
        width_(paddedSide(grid.width, windows.window.width)) {}

  int height() const { return height_; }
  int width() const { return width_; }

  /// Returns the token, or -1 for padding.
  int tokenAt(int row, int column) const {
    if (windows_.padsAfterShift) {
      if (row >= grid_.height || column >= grid_.width) return -1;
      return (row + windows_.shift.height) % grid_.height * grid_.width +
             (column + windows_.shift.width) % grid_.width;
    }
    const int y = (row + windows_.shift.height) % height_;
    const int x = (column + windows_.shift.width) % width_;
    return y < grid_.height && x < grid_.width ? y * grid_.width + x : -1;
  }

  int partAt(int row, int column) const {
    return 3 * partOfSide(row, height_, windows_.window.height, windows_.shift.height) +
           partOfSide(column, width_, windows_.window.width, windows_.shift.width);
  }

 private:
  TokenGrid grid_;
  SwinWindows windows_;
  int height_;
  int width_;
};

TokenGrid halfWindow(const TokenGrid& window) {
  return {window.height / 2, window.width / 2};
}

/// Each axis has a window of its own, which is no larger than the grid; without room there is no
/// shift.
SwinWindows timmWindows(const TokenGrid& window, const TokenGrid& shift, const TokenGrid& grid,
                        bool alwaysPartitions) {
  SwinWindows windows{.window = window, .shift = shift, .padsAfterShift = true};
  if (alwaysPartitions) return windows;
  windows.window = {std::min(grid.height, window.height), std::min(grid.width, window.width)};
  if (grid.height <= windows.window.height) windows.shift.height = 0;
  if (grid.width <= windows.window.width) windows.shift.width = 0;
  return windows;
}

/// Returns the grid of a stage for the picture that the network was made for.
TokenGrid gridMadeFor(const SwinConfiguration& configuration, int stage) {
  TokenGrid grid{configuration.imageHeight / configuration.patch,
                 configuration.imageWidth / configuration.patch};
  for (int s = 0; s < stage; ++s) grid = {(grid.height + 1) / 2, (grid.width + 1) / 2};
  return grid;
}

/// Windows keep their size; an axis of a single window is not shifted.
SwinWindows torchvisionWindows(const TokenGrid& window, const TokenGrid& shift,
                               const TokenGrid& grid) {
  SwinWindows windows{.window = window, .shift = shift};
  if (grid.height <= window.height) windows.shift.height = 0;
  if (grid.width <= window.width) windows.shift.width = 0;
  return windows;
}

/// The smaller side decides for both axes.
SwinWindows squareWindows(const TokenGrid& window, const TokenGrid& shift, int smallerSide) {
  if (smallerSide > window.height) return {.window = window, .shift = shift};
  const int side = std::min(smallerSide, window.height);
  return {.window = {side, side}};
}

}  // namespace

WindowTokens windowTokens(const TokenGrid& grid, const SwinWindows& windows,
                          const torch::Device& device) {
  const ShiftedGrid shifted(grid, windows);
  const TokenGrid& window = windows.window;
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> parts;
  std::vector<std::int64_t> places(static_cast<std::size_t>(grid.count()));
  for (int top = 0; top < shifted.height(); top += window.height) {
    for (int left = 0; left < shifted.width(); left += window.width) {
      for (int place = 0; place < window.count(); ++place) {
        const int row = top + place / window.width;
        const int column = left + place % window.width;
        const int token = shifted.tokenAt(row, column);
        if (token >= 0) places[static_cast<std::size_t>(token)] = std::ssize(tokens);
        tokens.push_back(token);
        parts.push_back(shifted.partAt(row, column));
      }
    }
  }
  WindowTokens divided;
  divided.tokens = torch::tensor(tokens, torch::kInt64).view({-1, window.count()}).to(device);
  divided.places = torch::tensor(places, torch::kInt64).to(device);
  if (windows.shift.height == 0 && windows.shift.width == 0) return divided;
  const torch::Tensor part = torch::tensor(parts, torch::kInt64).view({-1, window.count()});
  divided.mask = part.unsqueeze(2)
                     .ne(part.unsqueeze(1))
                     .to(torch::kFloat32)
                     .mul_(-100)
                     .unsqueeze(1)
                     .to(device);
  return divided;
}

torch::Tensor relativePlaces(const TokenGrid& window, const torch::Device& device) {
  const torch::Tensor places = torch::arange(window.count(), torch::kInt64);
  const torch::Tensor rows = places.div(window.width, "floor");
  const torch::Tensor columns = places.remainder(window.width);
  const auto apart = [](const torch::Tensor& x) { return x.unsqueeze(1) - x.unsqueeze(0); };
  const torch::Tensor index = (apart(rows) + window.height - 1) * (2 * window.width - 1) +
                              apart(columns) + window.width - 1;
  return index.flatten().to(device);
}

SwinWindows swinWindows(const SwinConfiguration& configuration, int stage, int block,
                        const TokenGrid& grid) {
  const TokenGrid& window = configuration.stages[static_cast<std::size_t>(stage)].window;
  const TokenGrid shift = block % 2 == 1 ? halfWindow(window) : TokenGrid{0, 0};
  switch (configuration.names.library) {
    case SwinNames::Library::Timm:
      return timmWindows(window, shift,
                         configuration.keepsWindows ? gridMadeFor(configuration, stage) : grid,
                         configuration.alwaysPartitions);
    case SwinNames::Library::Torchvision:
      return torchvisionWindows(window, shift, grid);
    case SwinNames::Library::HuggingFace:
      if (configuration.isV2) {
        // Decided for the picture that the network was made for, whatever it is given.
        const int side = (configuration.imageHeight / configuration.patch) >> stage;
        SwinWindows windows = squareWindows(window, shift, side);
        windows.masks = 2;
        return windows;
      }
      // MaskFormer's Swin.
      if (configuration.alwaysPartitions) return {.window = window, .shift = shift};
      break;
    case SwinNames::Library::Authors:
      break;
  }
  return squareWindows(window, shift, std::min(grid.height, grid.width));
}

}  // namespace softscope
