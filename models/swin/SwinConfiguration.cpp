#include "models/swin/SwinConfiguration.h"

#include <algorithm>

namespace softscope {

namespace {

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
      break;
    case SwinNames::Library::Authors:
      break;
  }
  return squareWindows(window, shift, std::min(grid.height, grid.width));
}

}  // namespace softscope
