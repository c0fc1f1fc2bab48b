#include "models/pyramid/PyramidAttention.h"

#include "models/attention/MechanismImplementation.h"
#include "models/layers/HeadTerms.h"

namespace softscope {

PyramidAttentionImpl::PyramidAttentionImpl(const PyramidAttentionOptions& options)
    : StageAttention(options.name), heads_(options.heads) {
  queryProjection_ = register_module("W_q", Linear(options.channels, options.channels));
  keyProjection_ = register_module("W_k", Linear(options.channels, options.channels));
  valueProjection_ = register_module("W_v", Linear(options.channels, options.channels));
  kernel_ = register_module("attn", options.implementation->makeKernel(options));
  output_ = register_module("ff", Linear(options.channels, options.channels));
}

torch::Tensor PyramidAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                            Recorder* recorder) {
  const torch::Tensor query = splitHeads(queryProjection_->forward(tokens), heads_);
  const torch::Tensor key = splitHeads(keyProjection_->forward(tokens), heads_);
  const torch::Tensor value = splitHeads(valueProjection_->forward(tokens), heads_);
  const torch::Tensor attended = kernel_->forward(query, key, value, grid, recorder);
  return output_->forward(joinTerms({attended, {}}, layer(), output_->weight, recorder));
}

}  // namespace softscope
