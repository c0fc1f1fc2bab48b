#include "models/layers/TransformerBlock.h"

namespace softscope {

MlpImpl::MlpImpl(int channels, int hidden) {
  expand_ = register_module("fc1", Linear(channels, hidden));
  contract_ = register_module("fc2", Linear(hidden, channels));
}

torch::Tensor MlpImpl::forward(const torch::Tensor& x) const {
  return contract_->forward(expand_->forward(x, Activation::Gelu));
}

}  // namespace softscope
