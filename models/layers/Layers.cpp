#include "models/layers/Layers.h"

#include "models/cpu/Inference.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <vector>

namespace softscope {

LinearImpl::LinearImpl(int inputs, int outputs, bool withBias) {
  weight = register_parameter("weight", torch::empty({outputs, inputs}));
  if (withBias) bias = register_parameter("bias", torch::empty({outputs}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x, Activation activation) const {
  const auto packed = packed_.forward(x, weight, bias, activation);
  return packed ? *packed : linearProduct(x, weight, bias, activation);
}

torch::Tensor linearInDouble(const Linear& layer, const torch::Tensor& x) {
  const auto inDouble = [](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.to(torch::kFloat64) : tensor;
  };
  return at::linear(inDouble(x), inDouble(layer->weight), inDouble(layer->bias));
}

LayerNormImpl::LayerNormImpl(int channels, double epsilon) : epsilon_(epsilon) {
  weight = register_parameter("weight", torch::empty({channels}));
  bias = register_parameter("bias", torch::empty({channels}));
}

torch::Tensor LayerNormImpl::forward(const torch::Tensor& x) const {
  const auto normalised = normaliseByOneDnn(x, weight, bias, epsilon_);
  return normalised ? *normalised : at::layer_norm(x, {weight.size(0)}, weight, bias, epsilon_);
}

torch::Tensor LayerNormImpl::deviation(const torch::Tensor& x) const {
  return (x.var(-1, false, true) + epsilon_).sqrt();
}

ConvolutionImpl::ConvolutionImpl(const ConvolutionOptions& options) : options_(options) {
  weight =
      register_parameter("weight", torch::empty({options.outputs, options.inputs / options.groups,
                                                 options.kernel, options.kernel}));
  if (options.bias) bias = register_parameter("bias", torch::empty({options.outputs}));
}

torch::Tensor ConvolutionImpl::forward(const torch::Tensor& x, Activation activation) const {
  const auto convolved = packed_.forward(x, terms(activation));
  return convolved ? *convolved : activated(convolve(x), activation);
}

torch::Tensor ConvolutionImpl::forward(const torch::Tensor& x, BatchNormImpl& norm,
                                       Activation activation) const {
  if (!norm.is_training()) {
    ConvolutionTerms all = terms(activation);
    all.norm = norm.terms();
    if (const auto convolved = packed_.forward(x, all)) return *convolved;
  }
  return activated(norm.forward(convolve(x)), activation);
}

ConvolutionTerms ConvolutionImpl::terms(Activation activation) const {
  return {.weight = weight,
          .bias = bias,
          .stride = options_.stride,
          .padding = options_.padding,
          .groups = options_.groups,
          .activation = activation};
}

torch::Tensor ConvolutionImpl::convolve(const torch::Tensor& x) const {
  return at::conv2d(x, weight, bias, options_.stride, options_.padding, 1, options_.groups);
}

BatchNormImpl::BatchNormImpl(int channels, double epsilon) : epsilon_(epsilon) {
  weight = register_parameter("weight", torch::empty({channels}));
  bias = register_parameter("bias", torch::empty({channels}));
  runningMean = register_buffer("running_mean", torch::empty({channels}));
  runningVariance = register_buffer("running_var", torch::empty({channels}));
  register_buffer("num_batches_tracked", torch::zeros({}, torch::kLong));
}

namespace {

/// A batch norm on the CPU whose gradient has the layout of its map in memory. LibTorch's kernel is
/// wrong for any other layout, such as that of tokens made of the map.
struct BatchNormInLayout : torch::autograd::Function<BatchNormInLayout> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const torch::Tensor& runningMean,
                               const torch::Tensor& runningVariance, bool isTraining,
                               double epsilon) {
    const auto [normalised, mean, inverseDeviation] = at::native_batch_norm(
        x, weight, bias, runningMean, runningVariance, isTraining, momentum, epsilon);
    context->save_for_backward({x, weight, runningMean, runningVariance, mean, inverseDeviation});
    context->saved_data["training"] = isTraining;
    context->saved_data["epsilon"] = epsilon;
    context->saved_data["of_map"] = x.requires_grad();
    return normalised;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const torch::Tensor& x = saved[0];
    const auto [ofMap, ofWeight, ofBias] = at::native_batch_norm_backward(
        gradients[0].contiguous(x.suggest_memory_format()), x, saved[1], saved[2], saved[3],
        saved[4], saved[5], context->saved_data["training"].toBool(),
        context->saved_data["epsilon"].toDouble(),
        {context->saved_data["of_map"].toBool(), true, true});
    return {ofMap, ofWeight, ofBias, {}, {}, {}, {}};
  }

  static constexpr double momentum = 0.1;
};

}  // namespace

torch::Tensor BatchNormImpl::forward(const torch::Tensor& x) {
  const bool needsGradient = torch::GradMode::is_enabled() &&
                             (x.requires_grad() || weight.requires_grad() || bias.requires_grad());
  if (x.is_cpu() && needsGradient) {
    return BatchNormInLayout::apply(x, weight, bias, runningMean, runningVariance, is_training(),
                                    epsilon_);
  }
  return at::batch_norm(x, weight, bias, runningMean, runningVariance, is_training(),
                        BatchNormInLayout::momentum, epsilon_, false);
}

torch::Tensor DropPathImpl::forward(const torch::Tensor& x) const {
  if (!is_training() || rate <= 0) return x;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[0] = x.size(0);
  const torch::Tensor kept = torch::empty(shape, x.options()).bernoulli_(1 - rate);
  return x * kept.div_(1 - rate);
}

bool setDropPathRates(torch::nn::Module& network, double rate) {
  std::vector<DropPathImpl*> branches;
  for (const auto& module : network.modules()) {
    if (auto* branch = module->as<DropPathImpl>()) branches.push_back(branch);
  }
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const std::size_t last = branches.size() - 1;
    const double share = last == 0 ? 1 : static_cast<double>(i) / static_cast<double>(last);
    branches[i]->rate = rate * share;
  }
  return !branches.empty();
}

torch::Tensor splitHeads(const torch::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

torch::Tensor joinHeads(const torch::Tensor& x) {
  return x.transpose(1, 2).flatten(2);
}

torch::Tensor tokensOf(const torch::Tensor& map) {
  return map.flatten(2).transpose(1, 2);
}

torch::Tensor mapOf(const torch::Tensor& tokens, const TokenGrid& grid) {
  if (isInferredOnCpu(tokens)) {
    // A view without copying, in the layout that a convolution reads fastest.
    return tokens.reshape({tokens.size(0), grid.height, grid.width, tokens.size(2)})
        .permute({0, 3, 1, 2});
  }
  return tokens.transpose(1, 2).reshape({tokens.size(0), tokens.size(2), grid.height, grid.width});
}

TokenGrid gridOf(const torch::Tensor& map) {
  return {static_cast<int>(map.size(2)), static_cast<int>(map.size(3))};
}

}  // namespace softscope
