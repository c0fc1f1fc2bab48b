#include "models/vssd/VssdNetwork.h"

#include "core/Error.h"
#include "models/attention/FactoredAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

#include <utility>

namespace softscope {

namespace {

constexpr double vssdNormEpsilon = 1e-5;

}  // namespace

NonCausalStateSpaceImpl::NonCausalStateSpaceImpl(std::string name,
                                                 const VssdStageConfiguration& sizes)
    : name_(std::move(name)), sizes_(sizes) {
  const int mixed = sizes.inner + 2 * sizes.state;
  stepBias_ = register_parameter("dt_bias", torch::empty({sizes.heads}));
  rates_ = register_parameter("A_log", torch::empty({sizes.heads}));
  skips_ = register_parameter("D", torch::empty({sizes.heads}));
  input_ =
      register_module("in_proj", Linear(sizes.channels, sizes.inner + mixed + sizes.heads, false));
  convolution_ = register_module("conv2d", Convolution(depthwiseOptions(mixed, 3)));
  norm_ = register_module("norm", LayerNorm(sizes.inner, vssdNormEpsilon));
  output_ = register_module("out_proj", Linear(sizes.inner, sizes.channels, false));
}

torch::Tensor NonCausalStateSpaceImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                               Recorder* recorder) {
  const std::vector<torch::Tensor> parts = input_->forward(tokens).split_with_sizes(
      {sizes_.inner, sizes_.inner + 2 * sizes_.state, sizes_.heads}, -1);
  const torch::Tensor map = convolution_->forward(mapOf(parts[1].contiguous(), grid));
  const std::vector<torch::Tensor> mixed =
      at::silu(tokensOf(map)).split_with_sizes({sizes_.inner, sizes_.state, sizes_.state}, -1);
  const torch::Tensor value = splitHeads(mixed[0].contiguous(), sizes_.heads);
  // [B, n, heads] -> [B, heads, n, 1]
  const torch::Tensor steps = at::softplus(parts[2] + stepBias_).transpose(1, 2).unsqueeze(-1);
  const auto ofHeads = [&](const torch::Tensor& x) {
    return splitHeads(x, sizes_.groups).repeat({1, sizes_.heads / sizes_.groups, 1, 1});
  };
  const torch::Tensor write = ofHeads(mixed[1]);
  const torch::Tensor read = ofHeads(mixed[2]);
  AttentionDescription description;
  description.mechanism = "vssd";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.gated = true;
  description.beside = "D V, V times a number for each head, and a norm and a gate follow the sum";
  const torch::Tensor rates = sizes_.isPositive ? rates_.exp() : -rates_.exp();
  const torch::Tensor attended =
      attendWithFactors({read, write * steps * rates.view({-1, 1, 1}), read, write}, value, name_,
                        description, recorder);
  const torch::Tensor beside = skips_.view({-1, 1, 1}) * value;
  if (!looksAtTerms(recorder)) {
    return output_->forward(norm_->forward(joinHeads(attended + beside)) * parts[0]);
  }
  // The norm mixes what the heads' channels hold, but each head's A multiplies its own V alone.
  const torch::Tensor passed = recorder->terms()->passOn(name_, attended);
  return output_->forward(joinSummedTerms({padHeads(passed), padHeads(beside), norm_, parts[0]},
                                          name_, output_->weight, recorder));
}

VssdSoftmaxImpl::VssdSoftmaxImpl(std::string name, const VssdStageConfiguration& sizes)
    : name_(std::move(name)), heads_(sizes.heads) {
  queryKeyValue_ = register_module("to_qkv", Linear(sizes.channels, 3 * sizes.channels, false));
  output_ = register_module("to_out", Linear(sizes.channels, sizes.channels));
}

torch::Tensor VssdSoftmaxImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                       Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], heads_);
  AttentionDescription description;
  description.mechanism = "softmax";
  description.queryGrid = grid;
  description.keyGrid = grid;
  const torch::Tensor attended =
      softmaxAttention(query, splitHeads(parts[1], heads_), splitHeads(parts[2], heads_),
                       inverseRootOfWidth(query), name_, description, recorder);
  return output_->forward(joinTerms({attended, {}}, name_, output_->weight, recorder));
}

VssdBlockImpl::VssdBlockImpl(const std::string& name, const VssdStageConfiguration& sizes)
    : layer_(name + ".attn") {
  const int channels = sizes.channels;
  positions1_ = register_module("cpe1", Convolution(depthwiseOptions(channels, 3)));
  norm1_ = register_module("norm1", LayerNorm(channels, vssdNormEpsilon));
  if (sizes.inner > 0) {
    stateSpace_ = register_module("attn", NonCausalStateSpace(layer_, sizes));
  } else {
    softmax_ = register_module("attn", VssdSoftmax(layer_, sizes));
  }
  positions2_ = register_module("cpe2", Convolution(depthwiseOptions(channels, 3)));
  norm2_ = register_module("norm2", LayerNorm(channels, vssdNormEpsilon));
  Group mlp = register_module("mlp", Group());
  expand_ = mlp->add("fc1", Linear(channels, sizes.hidden));
  contract_ = mlp->add("fc2", Linear(sizes.hidden, channels));
}

torch::Tensor VssdBlockImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                     Recorder* recorder) {
  const auto placed = [&](const torch::Tensor& x, const Convolution& convolution) {
    return x + tokensOf(convolution.ptr()->forward(mapOf(x, grid)));
  };
  torch::Tensor x = placed(tokens, positions1_);
  const torch::Tensor normed = norm1_->forward(x);
  const torch::Tensor attended = stateSpace_.is_empty()
                                     ? softmax_->forward(normed, grid, recorder)
                                     : stateSpace_->forward(normed, grid, recorder);
  recordAddition(recorder, layer_, x, attended);
  x = placed(x + attended, positions2_);
  const torch::Tensor hidden = expand_->forward(norm2_->forward(x), Activation::Gelu);
  return recordTokens(recorder, layer_, x + contract_->forward(hidden), grid);
}

VssdNetwork::VssdNetwork(const VssdConfiguration& configuration) {
  stem_ =
      register_module("patch_embed", MilaStem(configuration.stemChannels, configuration.stemHidden,
                                              configuration.stages.front().channels));
  for (std::size_t i = 0; i < configuration.stages.size(); ++i) {
    const VssdStageConfiguration& sizes = configuration.stages[i];
    const std::string name = "layers." + std::to_string(i);
    Stage stage;
    for (int block = 0; block < sizes.depth; ++block) {
      const std::string path = name + ".blocks." + std::to_string(block);
      stage.blocks.push_back(registerAt(*this, path, VssdBlock(path, sizes)));
    }
    if (i + 1 < configuration.stages.size()) {
      stage.downsample = registerAt(*this, name + ".downsample.conv",
                                    milaDownsample(sizes.channels, sizes.downsampleHidden,
                                                   configuration.stages[i + 1].channels));
    }
    stages_.push_back(std::move(stage));
  }
  const int channels = configuration.stages.back().channels;
  norm_ = register_module(configuration.norm, LayerNorm(channels, vssdNormEpsilon));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(channels, configuration.classes));
  }
}

torch::Tensor VssdNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor map = stem_->forward(picture);
  torch::Tensor tokens;
  for (Stage& stage : stages_) {
    const TokenGrid grid = gridOf(map);
    tokens = tokensOf(map).contiguous();
    for (VssdBlock& block : stage.blocks) tokens = block->forward(tokens, grid, recorder);
    if (!stage.downsample.is_empty()) map = stage.downsample->forward(mapOf(tokens, grid));
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  return head_->forward(norm_->forward(tokens).mean(1));
}

void VssdNetwork::checkInputSize(int height, int width) const {
  constexpr int multiple = 32;
  if (height > 0 && width > 0 && height % multiple == 0 && width % multiple == 0) return;
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " does not fit VSSD, whose sides are multiples of " +
                        std::to_string(multiple));
}

}  // namespace softscope
