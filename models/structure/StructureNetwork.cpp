#include "models/structure/StructureNetwork.h"

#include "core/Error.h"
#include "models/identify/ShapeReader.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Layers.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"
#include "models/structure/HeadProducts.h"
#include "models/structure/OuterParts.h"
#include "models/structure/PatchGrid.h"
#include "models/vit/VitPositions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace softscope {

namespace {

using Norms = StructureSettings::Norms;
using OneNorm = StructureSettings::OneNorm;
using Pooling = StructureSettings::Pooling;
using Positions = StructureSettings::Positions;
using FinalNorm = StructureSettings::FinalNorm;
using TokenScale = StructureSettings::TokenScale;

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
    return StructureNorm(*this, "", *part, size, settings.epsilon,
                         kindOfNorm(*part, settings, settings.withoutBias));
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
  if (const auto& buffers = structure.pixels) {
    pixelMean_ = registerParameterAt(*this, buffers->mean.weight, buffers->mean.shape);
    pixelDeviation_ =
        registerParameterAt(*this, buffers->deviation.weight, buffers->deviation.shape);
  }
  patchNormBefore_ = addNorm(patches.normBefore, pixels);
  patchNormAfter_ = addNorm(patches.normAfter, channels);
  classToken_ = addBare(structure.classToken);
  registers_ = addBare(structure.registers);
  positions_ = addBare(structure.positions);
  for (const BareTensor& empty : structure.empty) addBare(empty);
  addBlocks();
  norm_ = addNorm(structure.norm, channels);
  if (settings.hasPlainFinalNorm) norm_.emplace(channels, settings.epsilon, settings.plainNorms);
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
                             kindOfNorm(*part, settings_, settings_.withoutBias));
      }
      if (!settings_.hasPlainNorms) return std::nullopt;
      return StructureNorm(channels, settings_.epsilonOfBlocks, settings_.plainNorms);
    };
    Block block{StructureAttention(*this, path, structure_, settings_),
                addNorm(parts.norm1),
                {},
                addProduct(parts.expand),
                addProduct(parts.contract)};
    block.norm2 = sharesNorm ? block.norm1 : addNorm(parts.norm2);
    // The first of two norms or scales is of the half that runs first.
    if (settings_.runsMlpFirst && parts.areNormsInOrder) std::swap(block.norm1, block.norm2);
    const auto addScale = [&](const std::optional<BareTensor>& scale) {
      if (!scale) return torch::Tensor();
      return registerParameterAt(*this, path + scale->name, scale->shape);
    };
    block.scale1 = addScale(parts.scale1);
    block.scale2 = addScale(parts.scale2);
    if (settings_.runsMlpFirst && parts.areScalesInOrder) std::swap(block.scale1, block.scale2);
    blocks_.push_back(std::move(block));
  }
}

TokenGrid StructureNetwork::gridOf(std::int64_t height, std::int64_t width) const {
  const PatchStructure& patches = structure_.patches;
  return {static_cast<int>(patches.rowsOn(height)), static_cast<int>(patches.columnsOn(width))};
}

torch::Tensor StructureNetwork::normedPixels(const torch::Tensor& pictures) const {
  if (!pixelMean_.defined()) return pictures;
  return (pictures - pixelMean_.reshape({1, -1, 1, 1})) / pixelDeviation_.reshape({1, -1, 1, 1});
}

torch::Tensor StructureNetwork::embed(const torch::Tensor& pictures) const {
  const PatchStructure& patches = structure_.patches;
  const std::array<std::int64_t, 2> stride{patches.strideDown, patches.strideAcross};
  if (!patches.isProduct) {
    return tokensOf(at::conv2d(pictures, patchWeight_, patchBias_, stride, patches.padding));
  }
  const std::array<std::int64_t, 2> side{patches.height, patches.width};
  // From [B, c p1 p2, patches].
  const std::array<std::int64_t, 2> padding{patches.padding, patches.padding};
  torch::Tensor flat = at::im2col(pictures, side, {1, 1}, padding, stride).transpose(1, 2);
  if (settings_.columnsFirst) {
    flat = flat.unflatten(2, {patches.pictureChannels, patches.height, patches.width})
               .transpose(3, 4)
               .flatten(2);
  }
  if (settings_.channelsLast) {
    flat = flat.unflatten(2, {patches.pictureChannels, patches.height * patches.width})
               .transpose(2, 3)
               .flatten(2);
  }
  return linearProduct(normalised(patchNormBefore_, flat.contiguous()), patchWeight_, patchBias_);
}

torch::Tensor StructureNetwork::resizedTable(const torch::Tensor& table,
                                             const TokenGrid& grid) const {
  const std::int64_t prefix = settings_.prefixPositions;
  const std::int64_t behind = settings_.isClassTokenLast && prefix > 0 ? 1 : 0;
  const std::int64_t last = table.size(1) - behind;
  // The rows of tokens behind the patches stand first while those of the patches are resized.
  const torch::Tensor turned = at::cat({table.slice(1, last), table.slice(1, 0, last)}, 1);
  const torch::Tensor resized =
      resizePositions(turned, static_cast<int>(prefix), grid, PositionResize::Antialiased);
  return at::cat({resized.slice(1, behind), resized.slice(1, 0, behind)}, 1);
}

torch::Tensor StructureNetwork::positionsFor(const TokenGrid& grid,
                                             const torch::Tensor& patches) const {
  const std::int64_t channels = structure_.channels;
  const std::int64_t prefix = settings_.prefixPositions;
  switch (settings_.positions) {
    case Positions::Stored:
    case Positions::StoredInColumns: {
      const bool isInColumns = structure_.arePositionsInColumns;
      const torch::Tensor rows = isInColumns ? positions_.reshape({1, channels, -1})
                                             : positions_.reshape({1, -1, channels});
      const bool isTurned = isInColumns || settings_.positions == Positions::StoredInColumns;
      const torch::Tensor table = isTurned ? rows.transpose(1, 2) : rows;
      if (structure_.takesFirstPositions()) return table.slice(1, 0, prefix + grid.count());
      return resizedTable(table, grid);
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

std::vector<StructureNetwork::TokenPart> StructureNetwork::tokenParts(
    const torch::Tensor& patches) const {
  const std::int64_t channels = structure_.channels;
  const std::int64_t placed = settings_.prefixPositions;
  std::vector<TokenPart> parts{{patches, true, true}};
  const auto add = [&](const torch::Tensor& tokens, bool isBehind, bool hasPositions) {
    if (!tokens.defined()) return;
    parts.insert(isBehind ? parts.end() : parts.begin(),
                 {tokens.reshape({1, -1, channels}), hasPositions, false});
  };
  add(registers_, settings_.areRegistersBehind, placed > std::int64_t{classToken_.defined()});
  add(classToken_, settings_.isClassTokenLast, placed > 0);
  return parts;
}

torch::Tensor StructureNetwork::withOthers(const torch::Tensor& patches,
                                           const TokenGrid& grid) const {
  const std::int64_t batch = patches.size(0);
  const torch::Tensor positions = positionsFor(grid, patches);
  const double root = std::sqrt(static_cast<double>(structure_.channels));
  std::int64_t next = 0;
  std::vector<torch::Tensor> sequence;
  for (const TokenPart& part : tokenParts(patches)) {
    torch::Tensor tokens = part.tokens;
    const bool isPlaced = positions.defined() ? part.hasPositions : true;
    const bool isScaled = part.arePatches ? settings_.tokenScale != TokenScale::None
                                          : settings_.tokenScale == TokenScale::Tokens && isPlaced;
    if (isScaled) tokens = tokens * root;
    if (positions.defined() && part.hasPositions) {
      tokens = tokens + positions.slice(1, next, next + tokens.size(1));
      next += tokens.size(1);
    }
    sequence.push_back(tokens.expand({batch, -1, -1}));
  }
  return sequence.size() == 1 ? sequence.front() : at::cat(sequence, 1);
}

torch::Tensor StructureNetwork::recorded(const torch::Tensor& tokens) const {
  const std::int64_t behind = suffixTokens();
  if (behind == 0) return tokens;
  const std::int64_t before = tokens.size(1) - behind;
  const std::int64_t prefix = structure_.otherTokens() - behind;
  return at::cat(
      {tokens.slice(1, 0, prefix), tokens.slice(1, before), tokens.slice(1, prefix, before)}, 1);
}

torch::Tensor StructureNetwork::inOwnOrder(const torch::Tensor& recorded) const {
  const std::int64_t behind = suffixTokens();
  if (behind == 0) return recorded;
  const std::int64_t prefix = structure_.otherTokens() - behind;
  return at::cat({recorded.slice(1, 0, prefix), recorded.slice(1, prefix + behind),
                  recorded.slice(1, prefix, prefix + behind)},
                 1);
}

bool StructureNetwork::hasNormsBefore() const {
  return settings_.norms != Norms::After && settings_.norms != Norms::None;
}

bool StructureNetwork::addsToNormed(BlockHalf half) const {
  return settings_.norms == Norms::BeforeBoth ||
         (settings_.norms == Norms::BeforeMlp && half == BlockHalf::Mlp);
}

torch::Tensor StructureNetwork::withAttention(Block& block, const torch::Tensor& tokens,
                                              const TokenGrid& grid, Recorder* recorder) const {
  const bool hasNorm = settings_.oneNorm != OneNorm::Mlp;
  const torch::Tensor seen = hasNorm && hasNormsBefore() ? normalised(block.norm1, tokens) : tokens;
  const torch::Tensor attended = block.attention.forward(seen, grid, recorder);
  const torch::Tensor added = scalesSkips() ? attended : scaled(block.scale1, attended);
  const torch::Tensor addedTo = addsToNormed(BlockHalf::Attention) ? seen : tokens;
  const torch::Tensor kept = scalesSkips() ? scaled(block.scale1, addedTo) : addedTo;
  recordAddition(
      recorder, block.attention.layer(), kept, added,
      scalesSkips() || !block.scale1.defined() ? torch::Tensor() : block.scale1.flatten());
  const torch::Tensor x = kept + added;
  const bool isAfter = settings_.norms == Norms::After && settings_.oneNorm != OneNorm::BothAtOnce;
  return isAfter && hasNorm ? normalised(block.norm1, x) : x;
}

torch::Tensor StructureNetwork::withMlp(const Block& block, const torch::Tensor& tokens,
                                        const torch::Tensor& seen) const {
  if (!block.expand) return tokens;
  const bool hasNorm = settings_.oneNorm != OneNorm::Attention;
  const torch::Tensor input = hasNorm && hasNormsBefore() ? normalised(block.norm2, seen) : seen;
  const torch::Tensor hidden = activatedBy(settings_.activation, *block.expand, input);
  const torch::Tensor computed = settings_.isMlpActivatedTwice
                                     ? activatedBy(settings_.activation, *block.contract, hidden)
                                     : block.contract->forward(hidden);
  // In a block whose halves see the same tokens, the attention was added to the normed ones
  // already.
  const bool isInTurn = settings_.oneNorm != OneNorm::BothAtOnce;
  const torch::Tensor kept = isInTurn && addsToNormed(BlockHalf::Mlp) ? input : tokens;
  const torch::Tensor x =
      scalesSkips() ? scaled(block.scale2, kept) + computed : kept + scaled(block.scale2, computed);
  return hasNorm && settings_.norms == Norms::After ? normalised(block.norm2, x) : x;
}

torch::Tensor StructureNetwork::runBlock(Block& block, const torch::Tensor& tokens,
                                         const TokenGrid& grid, Recorder* recorder) const {
  const bool isParallel = settings_.oneNorm == OneNorm::BothAtOnce;
  const bool isMlpFirst = settings_.runsMlpFirst && !isParallel;
  torch::Tensor x = isMlpFirst ? withMlp(block, tokens, tokens) : tokens;
  x = withAttention(block, x, grid, recorder);
  if (!isMlpFirst) x = withMlp(block, x, isParallel ? tokens : x);
  if (recorder == nullptr) return x;
  const torch::Tensor behind = recorded(x);
  recordTokens(recorder, block.attention.layer(), behind, grid);
  // The later blocks are given the recorded tensor, so that their gradients reach it.
  return inOwnOrder(behind);
}

torch::Tensor StructureNetwork::pool(const torch::Tensor& tokens) const {
  const std::int64_t behind = suffixTokens();
  const std::int64_t before = structure_.otherTokens() - behind;
  const torch::Tensor patches = tokens.slice(1, before, tokens.size(1) - behind);
  switch (settings_.pooling) {
    case Pooling::ClassToken:
      return tokens.select(1, settings_.isClassTokenLast ? -1 : 0);
    case Pooling::AllTokens:
      return tokens.mean(1);
    case Pooling::Patches:
      return patches.mean(1);
    case Pooling::Largest:
      return tokens.amax(1);
    case Pooling::LargestOfPatches:
      return patches.amax(1);
    case Pooling::MeanAndLargestOfPatches:
      return 0.5 * (patches.mean(1) + patches.amax(1));
    case Pooling::Flattened:
      return normalised(poolingNorm_, tokens).flatten(1);
    case Pooling::FlattenedPatches:
      return normalised(poolingNorm_, patches).flatten(1);
    case Pooling::None:
      break;
  }
  return tokens;
}

torch::Tensor StructureNetwork::classify(const torch::Tensor& pooled) const {
  torch::Tensor x = structure_.isFlattened() ? pooled : normalised(poolingNorm_, pooled);
  for (std::size_t i = 0; i + 1 < head_.size(); ++i) {
    x = isActivated(structure_.head, i) ? activatedBy(settings_.headActivation, head_[i], x)
                                        : head_[i].forward(x);
  }
  return head_.back().forward(x);
}

torch::Tensor StructureNetwork::forward(const torch::Tensor& pictures, Recorder* recorder) {
  const TokenGrid grid = gridOf(pictures.size(2), pictures.size(3));
  const bool isOfTokens = settings_.isPatchNormOfTokens;
  const torch::Tensor patches = embed(normedPixels(pictures));
  torch::Tensor tokens = isOfTokens ? normalised(patchNormAfter_, withOthers(patches, grid))
                                    : withOthers(normalised(patchNormAfter_, patches), grid);
  const auto normalisedAt = [&](FinalNorm place, const torch::Tensor& x) {
    return settings_.finalNorm == place ? normalised(norm_, x) : x;
  };
  tokens = normalisedAt(FinalNorm::InFront, tokens);
  for (Block& block : blocks_) tokens = runBlock(block, tokens, grid, recorder);
  tokens = normalisedAt(FinalNorm::OfTokens, tokens);
  if (head_.empty()) {
    recordFeatures(recorder, [&] { return tokens; });
    return {};
  }
  return classify(normalisedAt(FinalNorm::OfPooled, pool(tokens)));
}

void StructureNetwork::checkInputSize(int height, int width) const {
  const PatchStructure& cut = structure_.patches;
  const std::string size = std::to_string(height) + " x " + std::to_string(width);
  const std::string side = std::to_string(cut.height) + " x " + std::to_string(cut.width);
  const std::int64_t patches = cut.rowsOn(height) * cut.columnsOn(width);
  const bool isWhole = height % cut.height == 0 && width % cut.width == 0;
  if (patches == 0 || (cut.tile() && !isWhole)) {
    throw InspectionError(
        "a picture of " + size + " cannot be cut into this model's patches of " + side +
        (cut.tile() ? ": both sides must be multiples of these" : ": neither side may be shorter"));
  }
  const std::int64_t rows = positionRows(structure_).value_or(0);
  const bool mayBeAlone = structure_.positions && settings_.prefixPositions > 0 &&
                          squareSide(static_cast<int>(rows)) > 0;
  const std::string alone = mayBeAlone
                                ? ", or --prefix-positions 0 if its " + std::to_string(rows) +
                                      " positions are of the patches alone"
                                : "";
  if (structure_.takesFirstPositions() && settings_.prefixPositions + patches > rows) {
    throw InspectionError("a picture of " + size + " has " + std::to_string(patches) +
                          " patches, and this model has positions for " +
                          std::to_string(rows - settings_.prefixPositions) +
                          "; choose a smaller --size" + alone);
  }
  const std::int64_t own = structure_.patchCount();
  const bool needsOwn = structure_.isFlattened() ||
                        structure_.block.attention.extra == AttentionExtra::Linformer ||
                        (structure_.positions && !structure_.takesFirstPositions() &&
                         squareSide(static_cast<int>(own)) == 0);
  if (!needsOwn || own == 0 || patches == own) return;
  const SaidSize fitting = pictureOfPatches(cut, structure_.patchRows, structure_.patchColumns);
  throw InspectionError("a picture of " + size + " has " + std::to_string(patches) +
                        " patches, and this model takes " + std::to_string(own) +
                        " alone; choose --size " + std::to_string(fitting.height) + "x" +
                        std::to_string(fitting.width) + alone);
}

}  // namespace softscope
