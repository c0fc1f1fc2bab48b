#include "models/vit/AttentionPool.h"

#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/vit/VitBlock.h"

#include <string>
#include <vector>

namespace softscope {

AttentionPool::AttentionPool(torch::nn::Module& network, const VitConfiguration& configuration)
    : heads_(configuration.heads), activation_(configuration.activation) {
  const std::string path = configuration.names.attentionPool + ".";
  const int channels = configuration.channels;
  const auto add = [&](const std::string& name, auto module) {
    return registerAt(network, path + name, module);
  };
  latent_ = registerParameterAt(network, path + "latent", {1, 1, channels});
  query_ = add("q", Linear(channels, channels));
  keyValue_ = add("kv", Linear(channels, 2 * channels));
  projection_ = add("proj", Linear(channels, channels));
  norm_ = add("norm", LayerNorm(channels, configuration.epsilon));
  expand_ = add("mlp.fc1", Linear(channels, configuration.poolHidden));
  contract_ = add("mlp.fc2", Linear(configuration.poolHidden, channels));
}

torch::Tensor AttentionPool::forward(const torch::Tensor& patches) {
  const std::vector<torch::Tensor> keyValue = keyValue_->forward(patches).chunk(2, -1);
  const torch::Tensor query =
      splitHeads(query_->forward(latent_).expand({patches.size(0), -1, -1}), heads_);
  const torch::Tensor key = splitHeads(keyValue[0], heads_);
  const torch::Tensor value = splitHeads(keyValue[1], heads_);
  const torch::Tensor weights =
      (query * inverseRootOfWidth(query)).matmul(key.transpose(-2, -1)).softmax(-1);
  const torch::Tensor attended = weights.matmul(value).transpose(1, 2).flatten(2);
  const torch::Tensor pooled = projection_->forward(attended);
  const torch::Tensor hidden = activated(expand_, norm_->forward(pooled), activation_);
  return (pooled + contract_->forward(hidden)).select(1, 0);
}

}  // namespace softscope
