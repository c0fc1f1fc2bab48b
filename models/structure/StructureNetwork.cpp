#include "models/structure/StructureNetwork.h"

#include "core/Error.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Layers.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"
#include "models/structure/TokenParts.h"
#include "models/vit/PositionTable.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

using Norms = StructureSettings::Norms;
using Pooling = StructureSettings::Pooling;
using Positions = StructureSettings::Positions;

constexpr double longestWave = 10000;

/// Returns the positions of "Attention Is All You Need" (2017, arXiv 1706.03762), [1, count,
/// channels]: even channels 2 i hold sin(t / 10000^(2 i / channels)), odd ones the cosine.
torch::Tensor sinesOfTokens(std::int64_t count, std::int64_t channels) {
  const torch::Tensor places = at::arange(count, torch::kFloat64).unsqueeze(1);
  const torch::Tensor pairs = at::arange((channels + 1) / 2, torch::kFloat64);
  const torch::Tensor angles =
      places * (pairs * (-2 * std::log(longestWave) / static_cast<double>(channels))).exp();
  return at::stack({angles.sin(), angles.cos()}, -1)
      .flatten(1)
      .slice(1, 0, channels)
      .to(torch::kFloat32)
      .unsqueeze(0);
}

/// Returns the positions of patches of "Better plain ViT baselines for ImageNet-1k" (2022, arXiv
/// 2205.01580), [1, grid.count(), channels]: sin x, cos x, sin y, cos y, a quarter of the channels
/// each, of x / 10000^(i / (channels / 4 - 1)). Channels that four does not divide hold zeros.
torch::Tensor sinesOfGrid(const TokenGrid& grid, std::int64_t channels) {
  const std::int64_t quarter = channels / 4;
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, quarter - 1));
  const torch::Tensor waves =
      (at::arange(quarter, torch::kFloat64) * (-std::log(longestWave) / steps)).exp();
  const torch::Tensor rows = at::arange(grid.height, torch::kFloat64)
                                 .view({-1, 1})
                                 .expand({-1, grid.width})
                                 .reshape({-1, 1}) *
                             waves;
  const torch::Tensor columns = at::arange(grid.width, torch::kFloat64)
                                    .view({1, -1})
                                    .expand({grid.height, -1})
                                    .reshape({-1, 1}) *
                                waves;
  const torch::Tensor table = at::cat({columns.sin(), columns.cos(), rows.sin(), rows.cos()}, 1);
  return at::constant_pad_nd(table, {0, channels - 4 * quarter}).to(torch::kFloat32).unsqueeze(0);
}

torch::Tensor normalised(const std::optional<StructureNorm>& norm, const torch::Tensor& x) {
  return norm ? norm->forward(x) : x;
}

}  // namespace

StructureNetwork::StructureNetwork(const TransformerStructure& structure,
                                   const StructureSettings& settings)
    : structure_(structure), settings_(settings) {
  const std::int64_t channels = structure.channels;
  const PatchStructure& patches = structure.patches;
  const std::int64_t pixels = patches.pictureChannels * patches.height * patches.width;
  const auto addNorm = [&](const std::optional<NormPart>& part,
                           std::int64_t size) -> std::optional<StructureNorm> {
    if (!part) return std::nullopt;
    return StructureNorm(*this, "", *part, size, settings.epsilon);
  };
  const auto addBare = [&](const std::optional<BareTensor>& bare) {
    return bare ? registerParameterAt(*this, bare->name, bare->shape) : torch::Tensor();
  };
  const std::vector<std::int64_t> shape =
      patches.isProduct ? std::vector<std::int64_t>{channels, pixels}
                        : std::vector<std::int64_t>{channels, patches.pictureChannels,
                                                    patches.height, patches.width};
  patchWeight_ = registerParameterAt(*this, patches.weight, shape);
  if (!patches.bias.empty()) patchBias_ = registerParameterAt(*this, patches.bias, {channels});
  patchNormBefore_ = addNorm(patches.normBefore, pixels);
  patchNormAfter_ = addNorm(patches.normAfter, channels);
  classToken_ = addBare(structure.classToken);
  registers_ = addBare(structure.registers);
  positions_ = addBare(structure.positions);
  for (const BareTensor& empty : structure.empty) addBare(empty);
  addBlocks();
  norm_ = addNorm(structure.norm, channels);
  poolingNorm_ = addNorm(structure.poolingNorm, channels);
  for (const ProductPart& part : structure.head) head_.emplace_back(*this, "", part);
}

void StructureNetwork::addBlocks() {
  const std::int64_t channels = structure_.channels;
  const BlockStructure& parts = structure_.block;
  const bool sharesNorm = parts.norm1 && parts.norm2 && parts.norm1->weight == parts.norm2->weight;
  for (const std::string& path : structure_.blocks) {
    const auto addProduct =
        [&](const std::optional<ProductPart>& part) -> std::optional<StructureProduct> {
      if (!part) return std::nullopt;
      return StructureProduct(*this, path, *part);
    };
    const auto addNorm = [&](const std::optional<NormPart>& part) -> std::optional<StructureNorm> {
      if (part) return StructureNorm(*this, path, *part, channels, settings_.epsilonOfBlocks);
      if (!settings_.hasPlainNorms) return std::nullopt;
      return StructureNorm(channels, settings_.epsilonOfBlocks);
    };
    Block block{StructureAttention(*this, path, structure_, settings_),
                addNorm(parts.norm1),
                {},
                addProduct(parts.expand),
                addProduct(parts.contract)};
    block.norm2 = sharesNorm ? block.norm1 : addNorm(parts.norm2);
    blocks_.push_back(std::move(block));
  }
}

torch::Tensor StructureNetwork::embed(const torch::Tensor& pictures) const {
  const PatchStructure& patches = structure_.patches;
  if (!patches.isProduct) {
    const torch::Tensor map =
        at::conv2d(pictures, patchWeight_, patchBias_, {patches.height, patches.width});
    return tokensOf(map);
  }
  const std::int64_t rows = pictures.size(2) / patches.height;
  const std::int64_t columns = pictures.size(3) / patches.width;
  const torch::Tensor cut = pictures.view(
      {pictures.size(0), pictures.size(1), rows, patches.height, columns, patches.width});
  // From [B, c, rows, p1, columns, p2].
  const torch::Tensor pixels =
      settings_.channelsLast ? cut.permute({0, 2, 4, 3, 5, 1}) : cut.permute({0, 2, 4, 1, 3, 5});
  const torch::Tensor flat = pixels.reshape({pictures.size(0), rows * columns, -1});
  return linearProduct(normalised(patchNormBefore_, flat), patchWeight_, patchBias_);
}

torch::Tensor StructureNetwork::positionsFor(const TokenGrid& grid,
                                             const torch::Tensor& patches) const {
  const std::int64_t channels = structure_.channels;
  switch (settings_.positions) {
    case Positions::Stored: {
      const torch::Tensor table = positions_.reshape({1, -1, channels});
      return resizePositions(table, static_cast<int>(structure_.classPositions), grid,
                             PositionResize::Antialiased);
    }
    case Positions::SinesOfTokens:
      return sinesOfTokens(grid.count() + structure_.classToken.has_value(), channels)
          .to(patches.options());
    case Positions::SinesOfRowsAndColumns:
      return sinesOfGrid(grid, channels).to(patches.options());
    case Positions::None:
      break;
  }
  return {};
}

torch::Tensor StructureNetwork::withOthers(torch::Tensor patches, const TokenGrid& grid) const {
  const std::int64_t channels = structure_.channels;
  const std::int64_t batch = patches.size(0);
  const torch::Tensor positions = positionsFor(grid, patches);
  const std::int64_t count = grid.count();
  if (positions.defined()) patches = patches + positions.slice(1, positions.size(1) - count);
  const auto spread = [&](const torch::Tensor& tokens) {
    return tokens.reshape({1, -1, channels}).expand({batch, -1, -1});
  };
  std::vector<torch::Tensor> parts;
  if (classToken_.defined()) {
    const bool isPlaced = positions.defined() && positions.size(1) > count;
    const torch::Tensor token = spread(classToken_);
    parts.push_back(isPlaced ? token + positions.slice(1, 0, 1) : token);
  }
  if (registers_.defined() && !structure_.registersLast) parts.push_back(spread(registers_));
  parts.push_back(patches);
  if (registers_.defined() && structure_.registersLast) parts.push_back(spread(registers_));
  return parts.size() == 1 ? patches : at::cat(parts, 1);
}

torch::Tensor StructureNetwork::recorded(const torch::Tensor& tokens) const {
  const std::int64_t behind = structure_.suffixTokens();
  if (behind == 0) return tokens;
  const std::int64_t before = tokens.size(1) - behind;
  return at::cat({tokens.slice(1, before), tokens.slice(1, 0, before)}, 1);
}

torch::Tensor StructureNetwork::runBlock(Block& block, const torch::Tensor& tokens,
                                         const TokenGrid& grid, Recorder* recorder) const {
  const bool isBefore = settings_.norms == Norms::Before;
  const bool isAfter = settings_.norms == Norms::After;
  const torch::Tensor attended =
      block.attention.forward(isBefore ? normalised(block.norm1, tokens) : tokens, grid, recorder);
  recordAddition(recorder, block.attention.layer(), tokens, attended);
  torch::Tensor x = tokens + attended;
  if (isAfter) x = normalised(block.norm1, x);
  if (block.expand) {
    const torch::Tensor hidden =
        activatedBy(settings_.activation, *block.expand, isBefore ? normalised(block.norm2, x) : x);
    x = x + block.contract->forward(hidden);
    if (isAfter) x = normalised(block.norm2, x);
  }
  if (recorder != nullptr) recordTokens(recorder, block.attention.layer(), recorded(x), grid);
  return x;
}

torch::Tensor StructureNetwork::pool(const torch::Tensor& tokens) const {
  const std::int64_t before = structure_.prefixTokens();
  const std::int64_t behind = structure_.suffixTokens();
  switch (settings_.pooling) {
    case Pooling::ClassToken:
      return tokens.select(1, 0);
    case Pooling::AllTokens:
      return tokens.mean(1);
    case Pooling::Patches:
      return tokens.slice(1, before, tokens.size(1) - behind).mean(1);
    case Pooling::Flattened:
      return normalised(poolingNorm_, tokens).flatten(1);
    case Pooling::None:
      break;
  }
  return tokens;
}

torch::Tensor StructureNetwork::classify(const torch::Tensor& pooled) const {
  torch::Tensor x =
      settings_.pooling == Pooling::Flattened ? pooled : normalised(poolingNorm_, pooled);
  for (std::size_t i = 0; i + 1 < head_.size(); ++i) {
    x = activatedBy(settings_.headActivation, head_[i], x);
  }
  return head_.back().forward(x);
}

torch::Tensor StructureNetwork::forward(const torch::Tensor& pictures, Recorder* recorder) {
  const TokenGrid grid{static_cast<int>(pictures.size(2) / structure_.patches.height),
                       static_cast<int>(pictures.size(3) / structure_.patches.width)};
  torch::Tensor tokens = withOthers(normalised(patchNormAfter_, embed(pictures)), grid);
  for (Block& block : blocks_) tokens = runBlock(block, tokens, grid, recorder);
  tokens = normalised(norm_, tokens);
  if (head_.empty()) {
    recordFeatures(recorder, [&] { return tokens; });
    return {};
  }
  return classify(pool(tokens));
}

void StructureNetwork::checkInputSize(int height, int width) const {
  const auto patchHeight = static_cast<int>(structure_.patches.height);
  const auto patchWidth = static_cast<int>(structure_.patches.width);
  const std::string size = std::to_string(height) + " x " + std::to_string(width);
  if (height < patchHeight || width < patchWidth || height % patchHeight != 0 ||
      width % patchWidth != 0) {
    throw InspectionError("a picture of " + size + " cannot be cut into this model's patches of " +
                          std::to_string(patchHeight) + " x " + std::to_string(patchWidth) +
                          ": both sides must be multiples of these");
  }
  const std::int64_t patches =
      std::int64_t{height / patchHeight} * std::int64_t{width / patchWidth};
  const std::int64_t own = structure_.patchCount();
  const bool needsOwn = structure_.isFlattened ||
                        structure_.block.attention.extra == AttentionExtra::Linformer ||
                        (structure_.positions && squareSide(static_cast<int>(own)) == 0);
  if (!needsOwn || own == 0 || patches == own) return;
  throw InspectionError("a picture of " + size + " has " + std::to_string(patches) +
                        " patches, and this model takes " + std::to_string(own) +
                        " alone; choose --size " +
                        std::to_string(structure_.patchRows * patchHeight) + "x" +
                        std::to_string(structure_.patchColumns * patchWidth));
}

}  // namespace softscope
