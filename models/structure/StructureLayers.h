#pragma once

#include "models/cpu/OneDnn.h"
#include "models/structure/BlockStructure.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

namespace softscope {

/// A product with a matrix that a file may store in either orientation.
class StructureProduct {
 public:
  StructureProduct() = default;
  /// Registers the part's tensors in the network, with `path` in front of their names.
  StructureProduct(torch::nn::Module& network, const std::string& path, const ProductPart& part);
  /// Returns activation(x W^T + b), [..., inputs] -> [..., outputs].
  torch::Tensor forward(const torch::Tensor& x, Activation activation = Activation::None) const;
  /// Returns W, [outputs, inputs].
  torch::Tensor matrix() const { return isTransposed_ ? weight_.t() : weight_; }

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
  bool isTransposed_ = false;
};

/// The kinds of norms, which the tensors of a file do not always tell apart.
enum class NormKind {
  Layer,      ///< x minus its mean, over the root of its variance plus epsilon
  Rms,        ///< x / sqrt(mean(x^2) + epsilon)
  Deviation,  ///< x minus its mean, over its deviation of n - 1 values plus epsilon
  Affine,     ///< x itself
};

/// A norm with weights of a file, or without any.
class StructureNorm {
 public:
  StructureNorm() = default;
  StructureNorm(torch::nn::Module& network, const std::string& path, const NormPart& part,
                std::int64_t channels, double epsilon, NormKind kind);
  /// Makes a norm without weights.
  StructureNorm(std::int64_t channels, double epsilon, NormKind kind)
      : channels_(channels), epsilon_(epsilon), kind_(kind) {}
  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
  std::int64_t channels_ = 0;
  double epsilon_ = 1e-5;
  NormKind kind_ = NormKind::Layer;
};

/// Returns the activation with this name, as `--activation` takes it, of a product's result.
torch::Tensor activatedBy(const std::string& activation, const StructureProduct& product,
                          const torch::Tensor& x);

}  // namespace softscope
