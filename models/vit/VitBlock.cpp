#include "models/vit/VitBlock.h"

#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"

#include <vector>

namespace softscope {

torch::Tensor activated(const Linear& expand, const torch::Tensor& x, VitActivation activation) {
  switch (activation) {
    case VitActivation::Gelu:
    case VitActivation::Swiglu:
      break;
    case VitActivation::Relu:
      return expand->forward(x, Activation::Relu);
    case VitActivation::TanhGelu:
      return expand->forward(x, Activation::TanhGelu);
    case VitActivation::QuickGelu:
      return quickGelu(expand->forward(x));
    case VitActivation::Silu:
      return at::silu(expand->forward(x));
  }
  return expand->forward(x, Activation::Gelu);
}

VitBlock::VitBlock(torch::nn::Module& network, const std::string& path,
                   const VitConfiguration& configuration)
    : layer_(path + "." + configuration.names.block.attention),
      heads_(configuration.heads),
      prefixNames_(configuration.prefixNames()),
      sima_(configuration.sima),
      activation_(configuration.activation),
      normsAfter_(configuration.normsAfter) {
  const VitBlockNames& names = configuration.names.block;
  const int channels = configuration.channels;
  const int hidden = configuration.hidden;
  const auto add = [&](const std::string& name, auto module) {
    return registerAt(network, path + "." + name, module);
  };
  const auto addScale = [&](const std::string& name) {
    return name.empty() ? torch::Tensor()
                        : registerParameterAt(network, path + "." + name, {channels});
  };
  const bool bias = configuration.queryKeyValueBias;
  norm1_ = add(names.norm1, LayerNorm(channels, configuration.epsilon));
  if (!names.queryKeyValue.empty()) {
    queryKeyValue_ = add(names.queryKeyValue, Linear(channels, 3 * channels, bias));
  } else {
    query_ = add(names.query, Linear(channels, channels, bias));
    key_ = add(names.key, Linear(channels, channels, bias));
    value_ = add(names.value, Linear(channels, channels, bias));
  }
  projection_ = add(names.projection, Linear(channels, channels));
  scale1_ = addScale(names.scale1);
  norm2_ = add(names.norm2, LayerNorm(channels, configuration.epsilon));
  const bool isPacked = activation_ == VitActivation::Swiglu && names.gate.empty();
  expand_ = add(names.expand, Linear(channels, isPacked ? 2 * hidden : hidden));
  if (!names.gate.empty()) gate_ = add(names.gate, Linear(channels, hidden));
  contract_ = add(names.contract, Linear(hidden, channels));
  scale2_ = addScale(names.scale2);
}

torch::Tensor VitBlock::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                Recorder* recorder) {
  torch::Tensor attended = attend(normsAfter_ ? tokens : norm1_->forward(tokens), grid, recorder);
  if (scale1_.defined()) attended = attended * scale1_;
  recordAddition(recorder, layer_, tokens, attended, scale1_);
  torch::Tensor x = tokens + attended;
  if (normsAfter_) x = norm1_->forward(x);
  const torch::Tensor computed = mlp(normsAfter_ ? x : norm2_->forward(x));
  x = x + (scale2_.defined() ? computed * scale2_ : computed);
  if (normsAfter_) x = norm2_->forward(x);
  return recordTokens(recorder, layer_, x, grid);
}

torch::Tensor VitBlock::attend(const torch::Tensor& tokens, const TokenGrid& grid,
                               Recorder* recorder) {
  const std::vector<torch::Tensor> parts =
      queryKeyValue_.is_empty()
          ? std::vector<torch::Tensor>{query_->forward(tokens), key_->forward(tokens),
                                       value_->forward(tokens)}
          : queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], heads_);
  const torch::Tensor key = splitHeads(parts[1], heads_);
  const torch::Tensor value = splitHeads(parts[2], heads_);
  AttentionDescription description;
  description.mechanism = "softmax";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.prefixTokens = static_cast<int>(prefixNames_.size());
  description.prefixNames = prefixNames_;
  const torch::Tensor attended =
      sima_ ? simaAttention(query, key, value, *sima_, layer_, description, recorder)
            : softmaxAttention(query, key, value, inverseRootOfWidth(query), layer_, description,
                               recorder);
  return projection_->forward(joinTerms({attended, {}}, layer_, projection_->weight, recorder));
}

torch::Tensor VitBlock::mlp(const torch::Tensor& tokens) {
  if (activation_ != VitActivation::Swiglu) {
    return contract_->forward(activated(expand_, tokens, activation_));
  }
  if (!gate_.is_empty()) {
    return contract_->forward(at::silu(gate_->forward(tokens)) * expand_->forward(tokens));
  }
  const std::vector<torch::Tensor> halves = expand_->forward(tokens).chunk(2, -1);
  return contract_->forward(at::silu(halves[0]) * halves[1]);
}

}  // namespace softscope
