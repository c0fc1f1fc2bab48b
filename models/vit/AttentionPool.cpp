#include "models/vit/AttentionPool.h"

#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/vit/VitBlock.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

AttentionPool::AttentionPool(torch::nn::Module& network, const VitConfiguration& configuration)
    : layer_(configuration.names.pool.layer),
      heads_(configuration.heads),
      activation_(configuration.activation) {
  const VitPoolNames& names = configuration.names.pool;
  const int channels = configuration.channels;
  const auto addLinear = [&](const std::string& name, int inputs, int outputs) {
    return name.empty() ? Linear(nullptr)
                        : registerLinearAt(network, name, Linear(inputs, outputs));
  };
  latent_ = registerParameterAt(network, names.latent, {1, 1, channels});
  queryKeyValue_ = addLinear(names.queryKeyValue, channels, 3 * channels);
  query_ = addLinear(names.query, channels, channels);
  keyValue_ = addLinear(names.keyValue, channels, 2 * channels);
  projection_ = addLinear(names.projection, channels, channels);
  norm_ = registerAt(network, names.norm, LayerNorm(channels, configuration.epsilon));
  expand_ = addLinear(names.expand, channels, configuration.poolHidden);
  contract_ = addLinear(names.contract, configuration.poolHidden, channels);
}

std::vector<torch::Tensor> AttentionPool::project(const torch::Tensor& patches) const {
  if (queryKeyValue_.is_empty()) {
    const std::vector<torch::Tensor> keyValue = keyValue_->forward(patches).chunk(2, -1);
    return {query_->forward(latent_), keyValue[0], keyValue[1]};
  }
  const std::int64_t channels = latent_.size(2);
  const torch::Tensor& weight = queryKeyValue_->weight;
  const torch::Tensor& bias = queryKeyValue_->bias;
  const std::vector<torch::Tensor> keyValue =
      linearProduct(patches, weight.slice(0, channels), bias.slice(0, channels)).chunk(2, -1);
  return {linearProduct(latent_, weight.slice(0, 0, channels), bias.slice(0, 0, channels)),
          keyValue[0], keyValue[1]};
}

torch::Tensor AttentionPool::forward(const torch::Tensor& patches, const TokenGrid& grid,
                                     Recorder* recorder) {
  const std::vector<torch::Tensor> parts = project(patches);
  const torch::Tensor query = splitHeads(parts[0].expand({patches.size(0), -1, -1}), heads_);
  const torch::Tensor key = splitHeads(parts[1], heads_);
  const torch::Tensor value = splitHeads(parts[2], heads_);
  const torch::Tensor weights =
      (query * inverseRootOfWidth(query)).matmul(key.transpose(-2, -1)).softmax(-1);
  if (recorder != nullptr) record(weights, query, key, value, grid, *recorder);
  const torch::Tensor pooled = projection_->forward(
      joinTerms({weights.matmul(value), {}}, layer_, projection_->weight, recorder));
  // The result replaces the tokens: nothing is there before it.
  recordAddition(recorder, layer_, at::zeros_like(pooled), pooled);
  const torch::Tensor hidden = activated(expand_, norm_->forward(pooled), activation_);
  return (pooled + contract_->forward(hidden)).select(1, 0);
}

void AttentionPool::record(const torch::Tensor& attention, const torch::Tensor& query,
                           const torch::Tensor& key, const torch::Tensor& value,
                           const TokenGrid& grid, Recorder& recorder) const {
  AttentionRecord record;
  record.layer = layer_;
  record.description.mechanism = "softmax_pool";
  record.description.keyGrid = grid;
  record.map = DenseTensors{attention[0]};
  record.queryL1 = query[0].abs().sum(-1);
  record.keyL1 = key[0].abs().sum(-1);
  record.value = value[0];
  recorder.record(std::move(record));
}

}  // namespace softscope
