#pragma once

#include "models/cpu/OneDnn.h"
#include "models/structure/BlockStructure.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <optional>
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

/// The kinds of norms that have a weight and no bias.
enum class PlainScaleNorm {
  Rms,    ///< x / sqrt(mean(x^2) + epsilon)
  Layer,  ///< the same of x minus its mean
};

/// A norm with weights of a file, or without any. One with a bias, or without any weights, is a
/// layer norm.
class StructureNorm {
 public:
  StructureNorm() = default;
  StructureNorm(torch::nn::Module& network, const std::string& path, const NormPart& part,
                std::int64_t channels, double epsilon, PlainScaleNorm withoutBias);
  /// Makes a norm without weights.
  StructureNorm(std::int64_t channels, double epsilon) : channels_(channels), epsilon_(epsilon) {}
  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
  std::int64_t channels_ = 0;
  double epsilon_ = 1e-5;
  bool isRms_ = false;
};

/// Returns the activation with this name, as `--activation` takes it, of a product's result.
torch::Tensor activatedBy(const std::string& activation, const StructureProduct& product,
                          const torch::Tensor& x);

}  // namespace softscope
