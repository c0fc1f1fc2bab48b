#include "models/swin/SwinConfiguration.h"

#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softscope {

namespace {

/// Returns true if the first block of a stage has what tells windows: a table of biases, or a scale
/// of cosines.
bool hasWindows(const StateDict& state, const SwinNames& names) {
  const std::string block = names.blocks(0) + "0.";
  return state.contains(block + names.table) || state.contains(block + names.scale);
}

/// Returns true if the patch embedding is of pictures, which those of videos are not.
bool embedsPictures(const StateDict& state, const SwinNames& names) {
  const torch::Tensor* weight = state.find(names.embedding + ".weight");
  return weight == nullptr || weight->dim() == 4;
}

/// The authors merge patches at the end of a stage, timm at the beginning of the next.
std::optional<SwinNames> timmSwin(const StateDict& state) {
  SwinNames names{.embedding = "patch_embed.proj", .embeddingNorm = "patch_embed.norm"};
  const ShapeReader shapes(state, "Swin");
  if (!shapes.any("layers.0.blocks.0.attn.qkv.") || !hasWindows(state, names)) return std::nullopt;
  names.library = shapes.any("layers.0.downsample.") || shapes.any("layers.0.blocks.0.attn_mask")
                      ? SwinNames::Library::Authors
                      : SwinNames::Library::Timm;
  if (shapes.any("head.fc.")) {
    names.library = SwinNames::Library::Timm;
    names.head = "head.fc";
  }
  if (state.contains("absolute_pos_embed")) names.positions = "absolute_pos_embed";
  if (shapes.any("layers.", ".attn.q_bias")) {
    names.queryBias = "attn.q_bias";
    names.valueBias = "attn.v_bias";
  }
  return names;
}

std::optional<SwinNames> torchvisionSwin(const StateDict& state) {
  SwinNames names{.library = SwinNames::Library::Torchvision,
                  .embedding = "features.0.0",
                  .embeddingNorm = "features.0.2"};
  names.expand = "mlp.0";
  names.contract = "mlp.3";
  const ShapeReader shapes(state, "Swin");
  if (!shapes.any("features.1.0.attn.qkv.") || !hasWindows(state, names)) return std::nullopt;
  return names;
}

void nameHuggingFaceProjections(const StateDict& state, SwinNames& names) {
  // Files have the older names, networks in memory those of the library's fifth version.
  const bool isVersion5 = anyContains(state, ".attention.q_proj.");
  names.query = isVersion5 ? "attention.q_proj" : "attention.self.query";
  names.key = isVersion5 ? "attention.k_proj" : "attention.self.key";
  names.value = isVersion5 ? "attention.v_proj" : "attention.self.value";
  names.projection = isVersion5 ? "attention.o_proj" : "attention.output.dense";
  const std::string own = isVersion5 ? "attention.relative_position_bias." : "attention.self.";
  names.table = own + "relative_position_bias_table";
  names.index = own + "relative_position_index";
  names.scale = "attention.self.logit_scale";
  names.coordinates = "attention.self.relative_coords_table";
  names.positionMlp = "attention.self.continuous_position_bias_mlp";
  names.expand = isVersion5 ? "mlp.fc1" : "intermediate.dense";
  names.contract = isVersion5 ? "mlp.fc2" : "output.dense";
}

std::optional<SwinNames> huggingFaceSwin(const StateDict& state) {
  const auto before = textBefore(state, "encoder.layers.0.blocks.0.attention.");
  if (!before) return std::nullopt;
  SwinNames names{.library = SwinNames::Library::HuggingFace, .prefix = *before};
  names.embedding = *before + "embeddings.patch_embeddings.projection";
  names.embeddingNorm = *before + "embeddings.norm";
  if (state.contains(*before + "embeddings.position_embeddings")) {
    names.positions = *before + "embeddings.position_embeddings";
  }
  names.norm1 = "layernorm_before";
  names.attention = "attention";
  names.queryKeyValue.clear();
  nameHuggingFaceProjections(state, names);
  names.norm2 = "layernorm_after";
  names.norm = *before + "layernorm";
  names.head = "classifier";
  return hasWindows(state, names) ? std::optional(names) : std::nullopt;
}

}  // namespace

std::string SwinNames::blocks(int stage) const {
  if (library == Library::Torchvision) return "features." + std::to_string(2 * stage + 1) + ".";
  const std::string layers = library == Library::HuggingFace ? "encoder.layers." : "layers.";
  return prefix + layers + std::to_string(stage) + ".blocks.";
}

std::string SwinNames::merging(int stage) const {
  if (library == Library::Torchvision) return "features." + std::to_string(2 * stage);
  const std::string layers = library == Library::HuggingFace ? "encoder.layers." : "layers.";
  const int place = library == Library::Timm ? stage : stage - 1;
  return prefix + layers + std::to_string(place) + ".downsample";
}

std::optional<SwinNames> swinNamesOf(const StateDict& state) {
  for (const auto& find : {timmSwin, torchvisionSwin, huggingFaceSwin}) {
    const auto names = find(state);
    if (names && embedsPictures(state, *names)) return names;
  }
  return std::nullopt;
}

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
