#include "models/structure/StructureLayers.h"

#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"

namespace softscope {

StructureProduct::StructureProduct(torch::nn::Module& network, const std::string& path,
                                   const ProductPart& part)
    : isTransposed_(part.isTransposed) {
  const std::int64_t rows = isTransposed_ ? part.inputs : part.outputs;
  const std::int64_t columns = isTransposed_ ? part.outputs : part.inputs;
  weight_ = registerParameterAt(network, path + part.weight, {rows, columns});
  if (!part.bias.empty()) {
    bias_ = registerParameterAt(network, path + part.bias, {part.outputs});
  }
}

torch::Tensor StructureProduct::forward(const torch::Tensor& x, Activation activation) const {
  return linearProduct(x, matrix(), bias_, activation);
}

StructureNorm::StructureNorm(torch::nn::Module& network, const std::string& path,
                             const NormPart& part, std::int64_t channels, double epsilon,
                             NormKind kind)
    : weight_(registerParameterAt(network, path + part.weight, {channels})),
      channels_(channels),
      epsilon_(epsilon),
      kind_(kind) {
  if (!part.bias.empty()) bias_ = registerParameterAt(network, path + part.bias, {channels});
}

torch::Tensor StructureNorm::forward(const torch::Tensor& x) const {
  if (kind_ == NormKind::Layer) return at::layer_norm(x, {channels_}, weight_, bias_, epsilon_);
  torch::Tensor y = x;
  if (kind_ == NormKind::Rms) {
    y = x * at::rsqrt(x.square().mean(-1, true) + epsilon_);
  } else if (kind_ == NormKind::Deviation) {
    y = (x - x.mean(-1, true)) / (x.std(-1, true, true) + epsilon_);
  }
  if (weight_.defined()) y = y * weight_;
  return bias_.defined() ? y + bias_ : y;
}

torch::Tensor activatedBy(const std::string& activation, const StructureProduct& product,
                          const torch::Tensor& x) {
  if (activation == "relu") return product.forward(x, Activation::Relu);
  if (activation == "gelu_tanh") return product.forward(x, Activation::TanhGelu);
  if (activation == "quick_gelu") return quickGelu(product.forward(x));
  if (activation == "silu") return at::silu(product.forward(x));
  if (activation == "elu") return at::elu(product.forward(x));
  if (activation == "leaky_relu") return at::leaky_relu(product.forward(x));
  if (activation == "tanh") return at::tanh(product.forward(x));
  if (activation == "none") return product.forward(x);
  return product.forward(x, Activation::Gelu);
}

}  // namespace softscope
