#include "models/cait/CaitNetwork.h"

#include "models/attention/MixedSoftmax.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"

#include <utility>

namespace softscope {

CaitBlockImpl::CaitBlockImpl(const CaitConfiguration& configuration, const std::string& path,
                             bool isOfClassToken)
    : layer_(path + ".attn"), heads_(configuration.heads), isOfClassToken_(isOfClassToken) {
  const int channels = configuration.channels;
  const int hidden = isOfClassToken ? configuration.classHidden : configuration.hidden;
  gamma1_ = register_parameter("gamma_1", torch::empty({channels}));
  gamma2_ = register_parameter("gamma_2", torch::empty({channels}));
  norm1_ = register_module("norm1", LayerNorm(channels, configuration.epsilon));
  norm2_ = register_module("norm2", LayerNorm(channels, configuration.epsilon));
  Group attention = register_module("attn", Group());
  const bool bias = configuration.queryBias;
  if (isOfClassToken) {
    query_ = attention->add("q", Linear(channels, channels, bias));
    key_ = attention->add("k", Linear(channels, channels, bias));
    value_ = attention->add("v", Linear(channels, channels, bias));
  } else {
    queryKeyValue_ = attention->add("qkv", Linear(channels, 3 * channels, bias));
    mixBefore_ = attention->add("proj_l", Linear(heads_, heads_));
    mixAfter_ = attention->add("proj_w", Linear(heads_, heads_));
  }
  projection_ = attention->add("proj", Linear(channels, channels));
  Group mlp = register_module("mlp", Group());
  expand_ = mlp->add("fc1", Linear(channels, hidden));
  contract_ = mlp->add("fc2", Linear(hidden, channels));
}

torch::Tensor CaitBlockImpl::attendTalking(const torch::Tensor& tokens, const TokenGrid& grid,
                                           Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], heads_);
  AttentionDescription description;
  description.mechanism = "talking_heads";
  description.queryGrid = grid;
  description.keyGrid = grid;
  // The bias of proj_l is the same for all keys of a row, so that the softmax removes it.
  const SoftmaxMixture mixture{.scale = inverseRootOfWidth(query),
                               .before = mixBefore_->weight,
                               .after = mixAfter_->weight,
                               .added = mixAfter_->bias};
  return mixedSoftmaxAttention(query, splitHeads(parts[1], heads_), splitHeads(parts[2], heads_),
                               mixture, layer_, description, recorder);
}

torch::Tensor CaitBlockImpl::attendClass(const torch::Tensor& tokens, const TokenGrid& grid,
                                         Recorder* recorder) {
  const torch::Tensor query = splitHeads(query_->forward(tokens.slice(1, 0, 1)), heads_);
  const torch::Tensor key = splitHeads(key_->forward(tokens), heads_);
  const torch::Tensor value = splitHeads(value_->forward(tokens), heads_);
  const torch::Tensor attention =
      at::matmul(query * inverseRootOfWidth(query), key.transpose(-1, -2)).softmax(-1);
  if (recorder != nullptr) {
    AttentionRecord record;
    record.layer = layer_;
    record.description.mechanism = "softmax_class";
    record.description.keyGrid = grid;
    record.description.prefixTokens = 1;
    record.map = DenseTensors{attention[0]};
    record.queryL1 = query[0].abs().sum(-1);
    record.keyL1 = key[0].abs().sum(-1);
    record.value = value[0];
    recorder->record(std::move(record));
  }
  return at::matmul(attention, value);
}

torch::Tensor CaitBlockImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                     Recorder* recorder) {
  const torch::Tensor normalised = norm1_->forward(tokens);
  const torch::Tensor attended = isOfClassToken_ ? attendClass(normalised, grid, recorder)
                                                 : attendTalking(normalised, grid, recorder);
  const torch::Tensor output =
      gamma1_ *
      projection_->forward(joinTerms({attended, {}}, layer_, projection_->weight, recorder));
  const torch::Tensor residual = isOfClassToken_ ? tokens.slice(1, 0, 1) : tokens;
  recordAddition(recorder, layer_, residual, output, gamma1_);
  const torch::Tensor x = residual + output;
  const torch::Tensor hidden = expand_->forward(norm2_->forward(x), Activation::Gelu);
  const torch::Tensor result = x + gamma2_ * contract_->forward(hidden);
  return recordTokens(recorder, layer_,
                      isOfClassToken_ ? at::cat({result, tokens.slice(1, 1)}, 1) : result, grid);
}

CaitNetwork::CaitNetwork(const CaitConfiguration& configuration)
    : pictureSide_(configuration.side * configuration.patch),
      poolsPatches_(configuration.poolsPatches) {
  const int channels = configuration.channels;
  Group embedding = register_module("patch_embed", Group());
  embedding_ =
      embedding->add("proj", Convolution(ConvolutionOptions{.inputs = 3,
                                                            .outputs = channels,
                                                            .kernel = configuration.patch,
                                                            .stride = configuration.patch}));
  classToken_ = register_parameter("cls_token", torch::empty({1, 1, channels}));
  positions_ = register_parameter(
      "pos_embed", torch::empty({1, configuration.side * configuration.side, channels}));
  const auto addBlocks = [&](const std::string& list, int depth, bool isOfClassToken) {
    Group group = register_module(list, Group());
    std::vector<CaitBlock> blocks;
    for (int i = 0; i < depth; ++i) {
      const std::string index = std::to_string(i);
      blocks.push_back(
          group->add(index, CaitBlock(configuration, list + "." + index, isOfClassToken)));
    }
    return blocks;
  };
  blocks_ = addBlocks("blocks", configuration.depth, false);
  classBlocks_ = addBlocks("blocks_token_only", configuration.classDepth, true);
  norm_ = register_module("norm", LayerNorm(channels, configuration.epsilon));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(channels, configuration.classes));
  }
}

torch::Tensor CaitNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embedding_->forward(picture);
  const TokenGrid grid = gridOf(map);
  torch::Tensor patches = tokensOf(map) + positions_;
  for (CaitBlock& block : blocks_) patches = block->forward(patches, grid, recorder);
  torch::Tensor tokens = at::cat({classToken_.expand({patches.size(0), -1, -1}), patches}, 1);
  for (CaitBlock& block : classBlocks_) tokens = block->forward(tokens, grid, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  if (poolsPatches_) return head_->forward(norm_->forward(tokens.slice(1, 1)).mean(1));
  return head_->forward(norm_->forward(tokens.slice(1, 0, 1)).select(1, 0));
}

void CaitNetwork::checkInputSize(int height, int width) const {
  requireOnlyInputSize(height, width, pictureSide_);
}

}  // namespace softscope
