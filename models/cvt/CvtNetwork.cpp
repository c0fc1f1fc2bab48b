#include "models/cvt/CvtNetwork.h"

#include "core/Error.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace softscope {

namespace {

/// Returns the side that a convolution reduces `side` to, and 0 if it has no place there.
int reducedSide(int side, int kernel, int stride, int padding) {
  const int room = side + 2 * padding - kernel;
  return room < 0 ? 0 : room / stride + 1;
}

/// Returns true if every convolution has a place on pictures with this side.
bool fitsCvt(const CvtConfiguration& configuration, int side) {
  return std::ranges::all_of(configuration.stages, [&](const CvtStageConfiguration& stage) {
    side = reducedSide(side, stage.patchKernel, stage.patchStride, stage.patchPadding);
    const int keys =
        reducedSide(side, configuration.attentionKernel, stage.keyStride, stage.keyPadding);
    return side > 0 && keys > 0;
  });
}

int smallestCvtSide(const CvtConfiguration& configuration) {
  constexpr int most = 8192;
  int side = 1;
  while (side < most && !fitsCvt(configuration, side)) ++side;
  return side;
}

constexpr double cvtNormEpsilon = 1e-5;

ConvolutionOptions embeddingOptions(const CvtConfiguration& configuration, std::size_t stage) {
  const CvtStageConfiguration& sizes = configuration.stages[stage];
  const bool first = stage == 0;
  return {.inputs = first ? 3 : configuration.stages[stage - 1].channels,
          .outputs = sizes.channels,
          .kernel = sizes.patchKernel,
          .stride = sizes.patchStride,
          .padding = sizes.patchPadding};
}

}  // namespace

CvtProjectionImpl::CvtProjectionImpl(const CvtNames& names, const ConvolutionOptions& sizes) {
  convolution_ = registerAt(*this, names.convolution, Convolution(sizes));
  norm_ = registerAt(*this, names.convolutionNorm, BatchNorm(sizes.outputs));
}

torch::Tensor CvtProjectionImpl::forward(const torch::Tensor& map) {
  return tokensOf(convolution_->forward(map, *norm_));
}

CvtAttentionImpl::CvtAttentionImpl(const CvtAttentionOptions& options) : options_(options) {
  const CvtNames& names = options.names;
  const int channels = options.channels;
  const auto convolution = [&](const std::string& path, int stride, int padding) {
    const ConvolutionOptions sizes{.inputs = channels,
                                   .outputs = channels,
                                   .kernel = options.kernel,
                                   .stride = stride,
                                   .padding = padding,
                                   .groups = channels,
                                   .bias = false};
    return registerAt(*this, path, CvtProjection(names, sizes));
  };
  const auto linear = [&](const std::string& path) {
    return registerAt(*this, path, Linear(channels, channels, options.queryBias));
  };
  queryConvolution_ = convolution(names.queryConvolution, 1, options.kernel / 2);
  keyConvolution_ = convolution(names.keyConvolution, options.keyStride, options.keyPadding);
  valueConvolution_ = convolution(names.valueConvolution, options.keyStride, options.keyPadding);
  query_ = linear(names.query);
  key_ = linear(names.key);
  value_ = linear(names.value);
  projection_ = registerAt(*this, names.projection, Linear(channels, channels));
}

torch::Tensor CvtAttentionImpl::project(const torch::Tensor& tokens, const torch::Tensor& map,
                                        CvtProjection& convolution, const Linear& linear) const {
  torch::Tensor patches = convolution->forward(map);
  if (options_.classToken) patches = at::cat({tokens.slice(1, 0, 1), patches}, 1);
  return splitHeads(linear->forward(patches), options_.heads);
}

torch::Tensor CvtAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                        Recorder* recorder) {
  const torch::Tensor map = mapOf(options_.classToken ? tokens.slice(1, 1) : tokens, grid);
  const torch::Tensor query = project(tokens, map, queryConvolution_, query_);
  const torch::Tensor key = project(tokens, map, keyConvolution_, key_);
  const torch::Tensor value = project(tokens, map, valueConvolution_, value_);
  const AttentionDescription description = describe(grid);
  const double scale = 1 / std::sqrt(static_cast<double>(options_.channels));
  const torch::Tensor attended =
      options_.sima
          ? simaAttention(query, key, value, *options_.sima, options_.name, description, recorder)
          : softmaxAttention(query, key, value, scale, options_.name, description, recorder);
  return projection_->forward(
      joinTerms({attended, {}}, options_.name, projection_->weight, recorder));
}

AttentionDescription CvtAttentionImpl::describe(const TokenGrid& grid) const {
  AttentionDescription description;
  description.mechanism = options_.sima ? mechanismName(*options_.sima) : "softmax";
  description.queryGrid = grid;
  const auto keys = [&](int side) {
    return reducedSide(side, options_.kernel, options_.keyStride, options_.keyPadding);
  };
  description.keyGrid = TokenGrid{keys(grid.height), keys(grid.width)};
  description.prefixTokens = options_.classToken ? 1 : 0;
  return description;
}

CvtBlockImpl::CvtBlockImpl(const CvtAttentionOptions& attention, int hidden)
    : isQuick_(!attention.names.isHuggingFace()) {
  const CvtNames& names = attention.names;
  const int channels = attention.channels;
  norm1_ = registerAt(*this, names.norm1, LayerNorm(channels, cvtNormEpsilon));
  attention_ = registerAt(*this, names.attention, CvtAttention(attention));
  norm2_ = registerAt(*this, names.norm2, LayerNorm(channels, cvtNormEpsilon));
  expand_ = registerAt(*this, names.expand, Linear(channels, hidden));
  contract_ = registerAt(*this, names.contract, Linear(hidden, channels));
}

torch::Tensor CvtBlockImpl::mlp(const torch::Tensor& tokens) {
  if (isQuick_) return contract_->forward(quickGelu(expand_->forward(tokens)));
  return contract_->forward(expand_->forward(tokens, Activation::Gelu));
}

torch::Tensor CvtBlockImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                    Recorder* recorder) {
  const torch::Tensor attended = attention_->forward(norm1_->forward(tokens), grid, recorder);
  recordAddition(recorder, attention_->layer(), tokens, attended);
  const torch::Tensor x = tokens + attended;
  return recordTokens(recorder, attention_->layer(), x + mlp(norm2_->forward(x)), grid);
}

CvtStageImpl::CvtStageImpl(const CvtConfiguration& configuration, int index) {
  const auto s = static_cast<std::size_t>(index);
  const CvtStageConfiguration& sizes = configuration.stages[s];
  const bool last = s + 1 == configuration.stages.size();
  if (last) {
    classToken_ = register_parameter("cls_token", torch::empty({1, 1, sizes.channels}));
  }
  const CvtNames& names = configuration.names;
  embedding_ = registerAt(*this, names.embedding, Convolution(embeddingOptions(configuration, s)));
  norm_ = registerAt(*this, names.embeddingNorm, LayerNorm(sizes.channels, cvtNormEpsilon));
  for (int i = 0; i < sizes.depth; ++i) {
    const CvtAttentionOptions attention{.names = names,
                                        .name = names.layer(index, i),
                                        .channels = sizes.channels,
                                        .heads = sizes.heads,
                                        .kernel = configuration.attentionKernel,
                                        .keyStride = sizes.keyStride,
                                        .keyPadding = sizes.keyPadding,
                                        .queryBias = sizes.queryBias,
                                        .classToken = last,
                                        .sima = configuration.sima};
    blocks_.push_back(registerAt(*this, names.blocks + "." + std::to_string(i),
                                 CvtBlock(attention, sizes.hidden)));
  }
}

CvtStageImpl::Output CvtStageImpl::forward(const torch::Tensor& map, Recorder* recorder) {
  const torch::Tensor embedded = embedding_->forward(map);
  const TokenGrid grid = gridOf(embedded);
  torch::Tensor tokens = norm_->forward(tokensOf(embedded).contiguous());
  if (classToken_.defined()) {
    tokens = at::cat({classToken_.expand({tokens.size(0), -1, -1}), tokens}, 1);
  }
  for (CvtBlock& block : blocks_) tokens = block->forward(tokens, grid, recorder);
  return {tokens, grid};
}

CvtNetwork::CvtNetwork(const CvtConfiguration& configuration)
    : smallestSide_(smallestCvtSide(configuration)) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const int index = static_cast<int>(s);
    stages_.push_back(registerAt(*this, configuration.names.stage + std::to_string(index),
                                 CvtStage(configuration, index)));
  }
  const int channels = configuration.stages.back().channels;
  norm_ = registerAt(*this, configuration.names.norm, LayerNorm(channels, cvtNormEpsilon));
  if (configuration.classes > 0) {
    head_ = registerAt(*this, configuration.names.head, Linear(channels, configuration.classes));
  }
}

torch::Tensor CvtNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  CvtStageImpl::Output output;
  torch::Tensor map = picture;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    output = stages_[s]->forward(map, recorder);
    if (s + 1 < stages_.size()) map = mapOf(output.tokens, output.grid);
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(output.tokens); });
    return {};
  }
  return head_->forward(norm_->forward(output.tokens.select(1, 0)));
}

void CvtNetwork::checkInputSize(int height, int width) const {
  if (height >= smallestSide_ && width >= smallestSide_) return;
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " is too small for this model: its convolutions need " +
                        std::to_string(smallestSide_) + " pixels a side; any larger size will do");
}

}  // namespace softscope
