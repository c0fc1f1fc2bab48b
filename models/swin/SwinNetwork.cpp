#include "models/swin/SwinNetwork.h"

#include "core/Error.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

namespace softscope {

namespace {

/// Returns the epsilon of the norms of patches and of their merging, which Hugging Face's library
/// alone does not let one choose.
double mergingEpsilon(const SwinConfiguration& configuration) {
  const bool isFixed = configuration.names.library == SwinNames::Library::HuggingFace;
  return isFixed ? 1e-5 : configuration.epsilon;
}

TokenGrid mergedSwinGrid(const TokenGrid& grid) {
  return {(grid.height + 1) / 2, (grid.width + 1) / 2};
}

}  // namespace

SwinBlock::SwinBlock(torch::nn::Module& network, const std::string& path,
                     const SwinConfiguration& configuration, const SwinStage& stage)
    : isV2_(configuration.isV2),
      activation_(configuration.activation),
      norm1_(registerAt(network, path + "." + configuration.names.norm1,
                        LayerNorm(stage.channels, configuration.epsilon))),
      attention_(network, path, configuration, stage) {
  const SwinNames& names = configuration.names;
  norm2_ = registerAt(network, path + "." + names.norm2,
                      LayerNorm(stage.channels, configuration.epsilon));
  expand_ = registerAt(network, path + "." + names.expand, Linear(stage.channels, stage.hidden));
  contract_ =
      registerAt(network, path + "." + names.contract, Linear(stage.hidden, stage.channels));
}

torch::Tensor SwinBlock::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                 const SwinWindows& windows, Recorder* recorder) {
  const torch::Tensor x = tokens + attend(tokens, grid, windows, recorder);
  const auto mlp = [&](const torch::Tensor& in) {
    return contract_->forward(expand_->forward(in, activation_));
  };
  const torch::Tensor added = isV2_ ? norm2_->forward(mlp(x)) : mlp(norm2_->forward(x));
  return recordTokens(recorder, attention_.layer(), x + added, grid);
}

torch::Tensor SwinBlock::attend(const torch::Tensor& tokens, const TokenGrid& grid,
                                const SwinWindows& windows, Recorder* recorder) {
  const std::string& layer = attention_.layer();
  if (!isV2_) {
    const torch::Tensor added =
        attention_.forward(norm1_->forward(tokens), grid, windows, recorder);
    recordAddition(recorder, layer, tokens, added);
    return added;
  }
  const torch::Tensor projected = attention_.forward(tokens, grid, windows, recorder).contiguous();
  const torch::Tensor added = norm1_->forward(projected);
  recordNormedAddition(recorder, layer, tokens, added, {projected, norm1_});
  return added;
}

SwinNetwork::SwinNetwork(const SwinConfiguration& configuration) : configuration_(configuration) {
  const SwinNames& names = configuration.names;
  const int channels = configuration.stages.front().channels;
  embedding_ = registerAt(*this, names.embedding,
                          Convolution(ConvolutionOptions{.inputs = 3,
                                                         .outputs = channels,
                                                         .kernel = configuration.patch,
                                                         .stride = configuration.patch}));
  if (configuration.hasEmbeddingNorm) {
    embeddingNorm_ =
        registerAt(*this, names.embeddingNorm, LayerNorm(channels, mergingEpsilon(configuration)));
  }
  if (configuration.positions > 0) {
    positions_ =
        registerParameterAt(*this, names.positions, {1, configuration.positions, channels});
  }
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) addStage(static_cast<int>(s));
  const int last = configuration.stages.back().channels;
  if (configuration.hasNorm) {
    norm_ = registerAt(*this, names.norm, LayerNorm(last, configuration.epsilon));
  }
  if (configuration.classes > 0) {
    head_ = registerAt(*this, names.head, Linear(last, configuration.classes));
  }
}

void SwinNetwork::addStage(int index) {
  const SwinStage& sizes = configuration_.stages[static_cast<std::size_t>(index)];
  Stage stage;
  if (index > 0) {
    const int before = configuration_.stages[static_cast<std::size_t>(index) - 1].channels;
    const std::string path = configuration_.names.merging(index);
    // Swin V2 reduces before it normalises.
    stage.mergingNorm = registerAt(*this, path + ".norm",
                                   LayerNorm(configuration_.isV2 ? sizes.channels : 4 * before,
                                             mergingEpsilon(configuration_)));
    stage.reduction =
        registerAt(*this, path + ".reduction", Linear(4 * before, sizes.channels, false));
  }
  for (int block = 0; block < sizes.depth; ++block) {
    stage.blocks.emplace_back(*this, configuration_.names.blocks(index) + std::to_string(block),
                              configuration_, sizes);
  }
  stages_.push_back(std::move(stage));
}

torch::Tensor SwinNetwork::embed(const torch::Tensor& picture) {
  torch::Tensor tokens = tokensOf(embedding_->forward(picture)).contiguous();
  if (!embeddingNorm_.is_empty()) tokens = embeddingNorm_->forward(tokens);
  return positions_.defined() ? tokens + positions_ : tokens;
}

torch::Tensor SwinNetwork::merge(Stage& stage, const torch::Tensor& tokens, const TokenGrid& grid) {
  torch::Tensor map = tokens.view({tokens.size(0), grid.height, grid.width, -1});
  map = at::constant_pad_nd(map, {0, 0, 0, grid.width % 2, 0, grid.height % 2});
  const std::int64_t channels = map.size(-1);
  const torch::Tensor merged =
      map.view({map.size(0), map.size(1) / 2, 2, map.size(2) / 2, 2, channels})
          .permute({0, 1, 3, 4, 2, 5})
          .reshape({map.size(0), -1, 4 * channels});
  if (configuration_.isV2) return stage.mergingNorm->forward(stage.reduction->forward(merged));
  return stage.reduction->forward(stage.mergingNorm->forward(merged));
}

torch::Tensor SwinNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  TokenGrid grid{static_cast<int>(picture.size(2)) / configuration_.patch,
                 static_cast<int>(picture.size(3)) / configuration_.patch};
  torch::Tensor tokens = embed(picture);
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    Stage& stage = stages_[s];
    if (!stage.reduction.is_empty()) {
      tokens = merge(stage, tokens, grid);
      grid = mergedSwinGrid(grid);
    }
    for (std::size_t b = 0; b < stage.blocks.size(); ++b) {
      const SwinWindows windows =
          swinWindows(configuration_, static_cast<int>(s), static_cast<int>(b), grid);
      tokens = stage.blocks[b].forward(tokens, grid, windows, recorder);
    }
  }
  if (!norm_.is_empty()) tokens = norm_->forward(tokens);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokens; });
    return {};
  }
  return head_->forward(pooledOver(tokens, {1}, configuration_.pooling));
}

void SwinNetwork::checkWindows(int stage, const TokenGrid& grid, const std::string& size) const {
  const SwinStage& sizes = configuration_.stages[static_cast<std::size_t>(stage)];
  const TokenGrid window = swinWindows(configuration_, stage, 0, grid).window;
  const std::string place = "stage " + std::to_string(stage + 1) + " would have " +
                            std::to_string(grid.height) + " x " + std::to_string(grid.width) +
                            " tokens, ";
  if (configuration_.names.library == SwinNames::Library::Authors &&
      (grid.height % window.height != 0 || grid.width % window.width != 0)) {
    throw InspectionError(size + " does not fit this model: " + place +
                          "which the authors' code does not divide into windows of " +
                          std::to_string(window.height) + " x " + std::to_string(window.width));
  }
  if (sizes.table == 0 || (2 * window.height - 1) * (2 * window.width - 1) == sizes.table) return;
  throw InspectionError(size + " does not fit this model: " + place + "in windows of " +
                        std::to_string(window.height) + " x " + std::to_string(window.width) +
                        ", and its table of " + (configuration_.isV2 ? "positions" : "biases") +
                        " is for others; choose a larger size");
}

void SwinNetwork::checkInputSize(int height, int width) const {
  const int patch = configuration_.patch;
  const std::string size = "a picture of " + std::to_string(height) + " x " + std::to_string(width);
  if (height < patch || width < patch || height % patch != 0 || width % patch != 0) {
    throw InspectionError(size + " does not fit this model: its sides must be multiples of its " +
                          std::to_string(patch) + "-pixel patches");
  }
  TokenGrid grid{height / patch, width / patch};
  if (configuration_.positions > 0 && grid.count() != configuration_.positions) {
    throw InspectionError(size + " does not fit this model: it has " +
                          std::to_string(configuration_.positions) + " positions, and not " +
                          std::to_string(grid.height) + " x " + std::to_string(grid.width) +
                          "; choose the size it was trained with");
  }
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (s > 0) grid = mergedSwinGrid(grid);
    checkWindows(static_cast<int>(s), grid, size);
  }
}

}  // namespace softscope
