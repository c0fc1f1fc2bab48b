#include "models/pyramid/PyramidAttention.h"

#include "models/attention/CosformerAttention.h"
#include "models/attention/EfficientAttention.h"
#include "models/attention/EluAttention.h"
#include "models/attention/LinformerAttention.h"
#include "models/attention/NystromformerAttention.h"
#include "models/attention/PerformerAttention.h"
#include "models/attention/SimaAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadMaps.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/LandmarkGrid.h"

#include <cmath>
#include <utility>

namespace softscope {

namespace {

constexpr std::pair<PyramidMechanism, const char*> mechanismNames[] = {
    {PyramidMechanism::Softmax, "softmax"},     {PyramidMechanism::Linformer, "linformer"},
    {PyramidMechanism::Performer, "performer"}, {PyramidMechanism::Nystromformer, "nystromformer"},
    {PyramidMechanism::Sima, "sima"},           {PyramidMechanism::Elu, "elu"},
    {PyramidMechanism::Efficient, "efficient"}, {PyramidMechanism::Cosformer, "cosformer"},
};

/// The official SimA's smallest l1 norm.

}  // namespace

std::string mechanismName(PyramidMechanism mechanism) {
  for (const auto& [known, name] : mechanismNames) {
    if (known == mechanism) return name;
  }
  return {};
}

std::optional<PyramidMechanism> pyramidMechanism(const std::string& name) {
  for (const auto& [mechanism, known] : mechanismNames) {
    if (known == name) return mechanism;
  }
  return std::nullopt;
}

bool hasLandmarks(PyramidMechanism mechanism) {
  return mechanism == PyramidMechanism::Linformer || mechanism == PyramidMechanism::Nystromformer;
}

PyramidKernelImpl::PyramidKernelImpl(const PyramidAttentionOptions& options) : options_(options) {
  if (options.mechanism == PyramidMechanism::Linformer) {
    shortening_ = register_module("E", Convolution(ConvolutionOptions{.inputs = options.heads,
                                                                      .outputs = options.heads,
                                                                      .kernel = options.ratio,
                                                                      .stride = options.ratio,
                                                                      .groups = options.heads,
                                                                      .bias = false}));
  } else if (options.mechanism == PyramidMechanism::Performer) {
    // A buffer: the random features are drawn once, and not trained.
    randomFeatures_ = register_buffer(
        "projection", torch::empty({options.features, options.channels / options.heads}));
  }
}

torch::Tensor PyramidKernelImpl::forward(const torch::Tensor& query, const torch::Tensor& key,
                                         const torch::Tensor& value, const TokenGrid& grid,
                                         Recorder* recorder) {
  const std::string& layer = options_.name;
  AttentionDescription description;
  description.mechanism = mechanismName(options_.mechanism);
  description.queryGrid = grid;
  description.keyGrid = grid;
  switch (options_.mechanism) {
    case PyramidMechanism::Softmax:
      break;
    case PyramidMechanism::Linformer:
      return attendToShortened(query, key, value, grid, std::move(description), recorder);
    case PyramidMechanism::Performer:
      return performerAttention(query, key, value, randomFeatures_, layer, description, recorder);
    case PyramidMechanism::Nystromformer:
      return attendThroughPooled(query, key, value, grid, std::move(description), recorder);
    case PyramidMechanism::Sima:
      return simaAttention(query, key, value, simaEpsilon, layer, description, recorder);
    case PyramidMechanism::Elu:
      return eluAttention(query, key, value, layer, description, recorder);
    case PyramidMechanism::Efficient:
      return efficientAttention(query, key, value, layer, description, recorder);
    case PyramidMechanism::Cosformer:
      return cosformerAttention(query, key, value, grid, layer, description, recorder);
  }
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(-1)));
  return softmaxAttention(query, key, value, scale, layer, description, recorder);
}

torch::Tensor PyramidKernelImpl::attendThroughPooled(
    const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
    const TokenGrid& grid, AttentionDescription description, Recorder* recorder) const {
  describeLandmarks(description, options_.ratio);
  return nystromformerAttention({.query = query,
                                 .key = key,
                                 .value = value,
                                 .queryLandmarks = poolHeads(query, grid, options_.ratio),
                                 .keyLandmarks = poolHeads(key, grid, options_.ratio),
                                 .scale = 1 / std::sqrt(static_cast<double>(query.size(-1)))},
                                options_.name, description, recorder);
}

torch::Tensor PyramidKernelImpl::attendToShortened(
    const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
    const TokenGrid& grid, AttentionDescription description, Recorder* recorder) const {
  describeLandmarks(description, options_.ratio);
  LinformerInput input{.query = query,
                       .key = key,
                       .shortenedKey = filterHeads(shortening_, key, grid),
                       .shortenedValue = filterHeads(shortening_, value, grid),
                       .projection = {}};
  if (recorder != nullptr) input.projection = convolutionMatrix(shortening_->weight, grid);
  return linformerAttention(input, options_.name, std::move(description), recorder);
}

PyramidAttentionImpl::PyramidAttentionImpl(const PyramidAttentionOptions& options)
    : StageAttention(options.name), heads_(options.heads) {
  queryProjection_ = register_module("W_q", Linear(options.channels, options.channels));
  keyProjection_ = register_module("W_k", Linear(options.channels, options.channels));
  valueProjection_ = register_module("W_v", Linear(options.channels, options.channels));
  kernel_ = register_module("attn", PyramidKernel(options));
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
