#pragma once

#include "core/attention/TokenGrid.h"
#include "models/cpu/PackedLayers.h"
#include "models/layers/Products.h"

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <string>

namespace softscope {

/// Divides the last dimension by the root of its mean square, and multiplies by `weight`
/// [channels].
class RmsNormImpl : public torch::nn::Module {
 public:
  RmsNormImpl(int channels, double epsilon) : epsilon_(epsilon) {
    weight = register_parameter("weight", torch::empty({channels}));
  }
  torch::Tensor forward(const torch::Tensor& x) const { return x * scaleOf(x) * weight; }
  /// Returns what multiplies each row of x before the weight.
  torch::Tensor scaleOf(const torch::Tensor& x) const {
    return (x.square().mean(-1, true) + epsilon_).rsqrt();
  }

  torch::Tensor weight;

 private:
  double epsilon_;
};
TORCH_MODULE(RmsNorm);

// The layers of published vision models, with the published parameter names. Unlike those of
// torch::nn, they start with uninitialised parameters, because these come from a checkpoint: a
// network of 87 million parameters is defined in milliseconds.

/// y = activation(x W^T + b). Parameters `weight` [outputs, inputs] and `bias` [outputs].
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(int inputs, int outputs, bool withBias = true);
  torch::Tensor forward(const torch::Tensor& x, Activation activation = Activation::None) const;

  torch::Tensor weight;
  torch::Tensor bias;

 private:
  PackedProduct packed_;
};
TORCH_MODULE(Linear);

/// Computes the layer's x W^T + b in float64, for results that must not lose precision to float32.
torch::Tensor linearInDouble(const Linear& layer, const torch::Tensor& x);

/// Normalises the last dimension. Parameters `weight` and `bias` [channels].
class LayerNormImpl : public torch::nn::Module {
 public:
  LayerNormImpl(int channels, double epsilon);
  torch::Tensor forward(const torch::Tensor& x) const;
  /// Returns what the norm divides by, [..., 1]: the root of the variance of x [..., C], with the
  /// epsilon in it. Once it is known, the norm is linear.
  torch::Tensor deviation(const torch::Tensor& x) const;

  torch::Tensor weight;
  torch::Tensor bias;

 private:
  double epsilon_;
};
TORCH_MODULE(LayerNorm);

struct ConvolutionOptions {
  int inputs = 0;
  int outputs = 0;
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  int groups = 1;
  bool bias = true;
};

/// Batch normalisation over [B, C, H, W] with the published buffer names.
class BatchNormImpl : public torch::nn::Module {
 public:
  explicit BatchNormImpl(int channels, double epsilon = 1e-5);
  torch::Tensor forward(const torch::Tensor& x);
  /// Returns the terms of its computation outside training.
  NormTerms terms() const { return {weight, bias, runningMean, runningVariance, epsilon_}; }

  torch::Tensor weight;
  torch::Tensor bias;
  torch::Tensor runningMean;
  torch::Tensor runningVariance;

 private:
  double epsilon_;
};
TORCH_MODULE(BatchNorm);

/// A square 2D convolution of [B, C, H, W], optionally fused with a batch norm of its result and an
/// activation. Parameters `weight` [outputs, inputs / groups, k, k] and `bias` [outputs]. On the
/// CPU, outside training, the channels of each place of the result are contiguous in memory.
class ConvolutionImpl : public torch::nn::Module {
 public:
  explicit ConvolutionImpl(const ConvolutionOptions& options);
  torch::Tensor forward(const torch::Tensor& x, Activation activation = Activation::None) const;
  torch::Tensor forward(const torch::Tensor& x, BatchNormImpl& norm,
                        Activation activation = Activation::None) const;

  torch::Tensor weight;
  torch::Tensor bias;

 private:
  ConvolutionTerms terms(Activation activation) const;
  torch::Tensor convolve(const torch::Tensor& x) const;

  ConvolutionOptions options_;
  PackedConvolution packed_;
};
TORCH_MODULE(Convolution);

/// Stochastic depth of a residual branch: in training, drops a picture's whole branch with
/// probability `rate`, and scales up those of the other pictures to compensate. Otherwise returns x
/// itself.
class DropPathImpl : public torch::nn::Module {
 public:
  torch::Tensor forward(const torch::Tensor& x) const;

  double rate = 0;
};
TORCH_MODULE(DropPath);

/// Sets rates that rise evenly from 0 in the first DropPath of a network to `rate` in its last, in
/// the order in which they were registered. Returns false if there is none.
bool setDropPathRates(torch::nn::Module& network, double rate);

/// A module that only holds named children: `proj` with children `0`, `1`, `3`.
class GroupImpl : public torch::nn::Module {
 public:
  template <typename M>
  M add(const std::string& name, M module) {
    return register_module(name, module);
  }
};
TORCH_MODULE(Group);

/// Splits [B, n, heads * d] into [B, heads, n, d], without copying.
torch::Tensor splitHeads(const torch::Tensor& x, std::int64_t heads);
/// Joins [B, heads, n, d] into [B, n, heads * d].
torch::Tensor joinHeads(const torch::Tensor& x);
/// Flattens a map [B, C, H, W] to tokens [B, H * W, C].
torch::Tensor tokensOf(const torch::Tensor& map);
/// Arranges tokens [B, H * W, C] as a map [B, C, H, W].
torch::Tensor mapOf(const torch::Tensor& tokens, const TokenGrid& grid);
/// Returns the grid of tokensOf() a map [B, C, H, W].
TokenGrid gridOf(const torch::Tensor& map);

}  // namespace softscope
