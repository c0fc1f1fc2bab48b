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

torch::Tensor normalised(const std::optional<StructureNorm>& norm, const torch::Tensor& x) {
  return norm ? norm->forward(x) : x;
}

torch::Tensor scaled(const torch::Tensor& scale, const torch::Tensor& x) {
  return scale.defined() ? x * scale : x;
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
    return StructureNorm(*this, "", *part, size, settings.epsilon, settings.withoutBias);
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
      if (part) {
        return StructureNorm(*this, path, *part, channels, settings_.epsilonOfBlocks,
                             settings_.withoutBias);
      }
      if (!settings_.hasPlainNorms) return std::nullopt;
      return StructureNorm(channels, settings_.epsilonOfBlocks);
    };
    Block block{StructureAttention(*this, path, structure_, settings_),
                addNorm(parts.norm1),
                {},
                addProduct(parts.expand),
                addProduct(parts.contract)};
    block.norm2 = sharesNorm ? block.norm1 : addNorm(parts.norm2);
    const auto addScale = [&](const std::optional<BareTensor>& scale) {
      if (!scale) return torch::Tensor();
      return registerParameterAt(*this, path + scale->name, scale->shape);
    };
    block.scale1 = addScale(parts.scale1);
    block.scale2 = addScale(parts.scale2);
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
  const std::int64_t prefix = settings_.prefixPositions;
  switch (settings_.positions) {
    case Positions::Stored: {
      const torch::Tensor table = positions_.reshape({1, -1, channels});
      if (structure_.hasLongPositions) return table.slice(1, 0, prefix + grid.count());
      return resizePositions(table, static_cast<int>(prefix), grid, PositionResize::Antialiased);
    }
    case Positions::SinesOfTokens:
      return sinesOfTokens(prefix + grid.count(), channels, settings_.sines).to(patches.options());
    case Positions::SinesOfRowsAndColumns:
      return sinesOfGrid(grid, channels, GridPeriods::OfSimpleVit, settings_.sines)
          .to(patches.options());
    case Positions::SinesWithPeriodsOfMae:
      return sinesOfGrid(grid, channels, GridPeriods::OfMae, settings_.sines).to(patches.options());
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
  std::vector<torch::Tensor> before, behind;
  if (classToken_.defined()) before.push_back(classToken_.reshape({1, -1, channels}));
  if (registers_.defined()) {
    (settings_.areRegistersBehind ? behind : before)
        .push_back(registers_.reshape({1, -1, channels}));
  }
  torch::Tensor prefix = before.empty() ? patches.new_empty({1, 0, channels}) : at::cat(before, 1);
  if (positions.defined()) {
    const std::int64_t placed = positions.size(1) - count;
    patches = patches + positions.slice(1, placed);
    if (placed > 0) {
      prefix = at::cat(
          {prefix.slice(1, 0, placed) + positions.slice(1, 0, placed), prefix.slice(1, placed)}, 1);
    }
  }
  const auto spread = [&](const torch::Tensor& tokens) { return tokens.expand({batch, -1, -1}); };
  std::vector<torch::Tensor> parts;
  if (!before.empty()) parts.push_back(spread(prefix));
  parts.push_back(patches);
  if (!behind.empty()) parts.push_back(spread(behind.front()));
  return parts.size() == 1 ? patches : at::cat(parts, 1);
}

torch::Tensor StructureNetwork::recorded(const torch::Tensor& tokens) const {
  const std::int64_t behind = suffixTokens();
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
  const torch::Tensor added = scalesSkips() ? attended : scaled(block.scale1, attended);
  const torch::Tensor kept = scalesSkips() ? scaled(block.scale1, tokens) : tokens;
  recordAddition(
      recorder, block.attention.layer(), kept, added,
      scalesSkips() || !block.scale1.defined() ? torch::Tensor() : block.scale1.flatten());
  torch::Tensor x = kept + added;
  const bool isParallel = settings_.oneNorm == StructureSettings::OneNorm::BothAtOnce;
  if (isAfter && !isParallel) x = normalised(block.norm1, x);
  if (block.expand) {
    const bool hasNorm = settings_.oneNorm != StructureSettings::OneNorm::Attention;
    const torch::Tensor& seen = isParallel ? tokens : x;
    const torch::Tensor hidden =
        activatedBy(settings_.activation, *block.expand,
                    isBefore && hasNorm ? normalised(block.norm2, seen) : seen);
    const torch::Tensor computed = block.contract->forward(hidden);
    x = scalesSkips() ? scaled(block.scale2, x) + computed : x + scaled(block.scale2, computed);
    if (isAfter && hasNorm) x = normalised(block.norm2, x);
  }
  if (recorder != nullptr) recordTokens(recorder, block.attention.layer(), recorded(x), grid);
  return x;
}

torch::Tensor StructureNetwork::pool(const torch::Tensor& tokens) const {
  const std::int64_t behind = suffixTokens();
  const std::int64_t before = structure_.otherTokens() - behind;
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
  const std::int64_t rows = positionRows(structure_).value_or(0);
  if (structure_.hasLongPositions && settings_.prefixPositions + patches > rows) {
    throw InspectionError("a picture of " + size + " has " + std::to_string(patches) +
                          " patches, and this model has positions for " +
                          std::to_string(rows - settings_.prefixPositions) +
                          "; choose a smaller --size");
  }
  const std::int64_t own = structure_.patchCount();
  const bool needsOwn = structure_.isFlattened ||
                        structure_.block.attention.extra == AttentionExtra::Linformer ||
                        (structure_.positions && !structure_.hasLongPositions &&
                         squareSide(static_cast<int>(own)) == 0);
  if (!needsOwn || own == 0 || patches == own) return;
  throw InspectionError("a picture of " + size + " has " + std::to_string(patches) +
                        " patches, and this model takes " + std::to_string(own) +
                        " alone; choose --size " +
                        std::to_string(structure_.patchRows * patchHeight) + "x" +
                        std::to_string(structure_.patchColumns * patchWidth));
}

}  // namespace softscope
