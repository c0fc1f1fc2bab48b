#include "models/soft/SoftAttention.h"

#include "models/cpu/HeadConvolution.h"
#include "models/cpu/ScaledHeads.h"
#include "models/layers/HeadMaps.h"
#include "models/layers/Products.h"

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cmath>
#include <tuple>
#include <vector>

namespace softscope {

SoftKernelImpl::SoftKernelImpl(const SoftAttentionOptions& options) : options_(options) {
  const int width = options.channels / options.heads;
  if (!options.pooledLandmarks) {
    landmarkConvolution_ =
        register_module("Qlandmark_op", Convolution(ConvolutionOptions{.inputs = width,
                                                                       .outputs = width,
                                                                       .kernel = options.ratio,
                                                                       .stride = options.ratio,
                                                                       .bias = false}));
    Group normAndActivation = register_module("Qnorm_act", Group());
    landmarkNorm_ = normAndActivation->add("0", LayerNorm(width, 1e-5));
  }
  if (options.convolution > 0) {
    valueConvolution_ =
        register_module("conv", Convolution(ConvolutionOptions{.inputs = options.heads,
                                                               .outputs = options.heads,
                                                               .kernel = options.convolution,
                                                               .padding = options.convolution / 2,
                                                               .groups = options.heads,
                                                               .bias = false}));
  }
}

HeadTerms SoftKernelImpl::forward(const torch::Tensor& query, const torch::Tensor& value,
                                  const TokenGrid& grid, Recorder* recorder,
                                  const torch::Tensor& preciseQuery) {
  const bool records = recorder != nullptr;
  const ScaledHeads queries =
      scaleHeads(query, 1 / std::sqrt(std::sqrt(static_cast<double>(query.size(-1)))), records);
  const torch::Tensor queryL1 = records ? queries.l1[0] : torch::Tensor();
  const torch::Tensor attended =
      options_.mechanism == SoftMechanism::Gaussian
          ? attendExactly(queries.scaled, value, grid, queryL1, recorder)
          : attendThroughLandmarks(queries.scaled, value, grid, queryL1, recorder, preciseQuery);
  if (valueConvolution_.is_empty()) return {attended, {}};
  return {attended, convolveValue(value, grid)};
}

torch::Tensor SoftKernelImpl::valueFilters() const {
  return valueConvolution_.is_empty() ? torch::Tensor() : valueConvolution_->weight.select(1, 0);
}

torch::Tensor SoftKernelImpl::convolveValue(const torch::Tensor& value, const TokenGrid& grid) {
  const torch::Tensor& filters = valueConvolution_->weight;
  return canConvolveHeads(value, filters) ? convolveHeads(value, filters, grid)
                                          : filterHeads(valueConvolution_, value, grid);
}

namespace {

/// Returns the kernel of the scaled queries [B, heads, n, d], which are also the keys.
KernelTensors exactKernel(const torch::Tensor& query) {
  const torch::Tensor tokens = query[0];
  return {KernelTensors::Kernel::Gaussian, tokens, tokens, 1.0};
}

}  // namespace

std::string mechanismName(SoftMechanism mechanism) {
  switch (mechanism) {
    case SoftMechanism::Soft:
      return "soft";
    case SoftMechanism::SoftNorm:
      return "soft++";
    case SoftMechanism::Gaussian:
      break;
  }
  return "gaussian";
}

std::optional<SoftMechanism> softMechanism(const std::string& name) {
  for (const SoftMechanism mechanism :
       {SoftMechanism::Soft, SoftMechanism::SoftNorm, SoftMechanism::Gaussian}) {
    if (mechanismName(mechanism) == name) return mechanism;
  }
  return std::nullopt;
}

torch::Tensor SoftKernelImpl::trainedLandmarks(const torch::Tensor& query, const TokenGrid& grid) {
  if (options_.pooledLandmarks) return poolHeads(query, grid, options_.ratio);
  const std::int64_t batch = query.size(0);
  const std::int64_t width = query.size(-1);
  const torch::Tensor maps =
      query.reshape({batch * options_.heads, grid.height, grid.width, width}).permute({0, 3, 1, 2});
  const torch::Tensor pooled = tokensOf(landmarkConvolution_->forward(maps));
  return activated(landmarkNorm_->forward(pooled), Activation::Gelu)
      .view({batch, options_.heads, pooled.size(1), width});
}

torch::Tensor SoftKernelImpl::preciseLandmarks(const torch::Tensor& query, const TokenGrid& grid) {
  if (options_.pooledLandmarks) return poolHeads(query.unsqueeze(0), grid, options_.ratio)[0];
  const auto inDouble = [](const torch::Tensor& tensor) { return tensor.to(torch::kFloat64); };
  const std::int64_t width = query.size(-1);
  const torch::Tensor maps =
      query.reshape({options_.heads, grid.height, grid.width, width}).permute({0, 3, 1, 2});
  const torch::Tensor pooled = tokensOf(at::conv2d(maps, inDouble(landmarkConvolution_->weight), {},
                                                   at::IntArrayRef(options_.ratio)));
  return at::gelu(at::layer_norm(pooled, {width}, inDouble(landmarkNorm_->weight),
                                 inDouble(landmarkNorm_->bias), 1e-5));
}

PreciseTensors SoftKernelImpl::precise(const torch::Tensor& query, const TokenGrid& grid,
                                       const std::optional<LandmarkTokens>& chosen) {
  const torch::Tensor scaled = query[0] / std::sqrt(std::sqrt(static_cast<double>(query.size(-1))));
  const torch::Tensor landmark =
      chosen ? landmarkMeans(scaled, *chosen) : preciseLandmarks(scaled, grid);
  const torch::Tensor toLandmarks = gaussianKernel(scaled, landmark);
  return {gaussianKernel(landmark, landmark), std::get<1>(at::linalg_qr(toLandmarks, "r")), {}};
}

torch::Tensor SoftKernelImpl::attendThroughLandmarks(
    const torch::Tensor& query, const torch::Tensor& value, const TokenGrid& grid,
    const torch::Tensor& queryL1, Recorder* recorder, const torch::Tensor& preciseQuery) {
  const std::optional<LandmarkTokens> chosen =
      chosenLandmarks(options_.landmarks, grid, options_.ratio, options_.name);
  const torch::Tensor landmark =
      chosen ? landmarkMeans(query, *chosen) : trainedLandmarks(query, grid);
  const torch::Tensor toLandmarks = gaussianKernel(query, landmark);
  const torch::Tensor bottleneck = gaussianKernel(landmark, landmark);
  const bool normalised = options_.mechanism == SoftMechanism::SoftNorm;
  const torch::Tensor inverse =
      normalised
          ? invertSoftNorm(bottleneck, options_.steps)
          : invertSoft(bottleneck, is_training() ? InverseGradient::Exact : InverseGradient::Steps,
                       options_.steps);
  const torch::Tensor middle = normalised ? normaliseInverse(inverse, bottleneck) : inverse;
  if (recorder != nullptr) {
    AttentionRecord record{.layer = options_.name,
                           .description = describe(grid),
                           .map = FactorTensors{toLandmarks[0], middle[0], {}},
                           .queryL1 = queryL1,
                           .keyL1 = queryL1,
                           .bottleneck = bottleneck[0],
                           .bottleneckInverse = inverse[0],
                           .convolution = valueFilters(),
                           .value = value[0]};
    auto& factors = std::get<FactorTensors>(record.map);
    factors.right = factors.left;
    record.exactKernel = exactKernel(query);
    if (chosen) {
      describeLandmarks(record.description, *chosen);
    } else {
      describeLandmarks(record.description, options_.ratio);
    }
    if (preciseQuery.defined()) record.precise = precise(preciseQuery, grid, chosen);
    recorder->record(std::move(record));
  }
  const torch::Tensor gathered = matrixProduct(toLandmarks.transpose(-1, -2), value);
  return matrixProduct(toLandmarks, matrixProduct(middle, gathered));
}

torch::Tensor SoftKernelImpl::attendExactly(const torch::Tensor& query, const torch::Tensor& value,
                                            const TokenGrid& grid, const torch::Tensor& queryL1,
                                            Recorder* recorder) {
  if (recorder != nullptr) {
    recorder->record(AttentionRecord{.layer = options_.name,
                                     .description = describe(grid),
                                     .map = exactKernel(query),
                                     .queryL1 = queryL1,
                                     .keyL1 = queryL1,
                                     .convolution = valueFilters(),
                                     .value = value[0]});
  }
  // In strips, so that the n x n kernel is never in memory as a whole.
  constexpr std::int64_t strip = 256;
  std::vector<torch::Tensor> strips;
  for (const torch::Tensor& queries : query.split(strip, 2)) {
    if (recorder != nullptr) recorder->throwIfCancelled();
    strips.push_back(matrixProduct(gaussianKernel(queries, query), value));
  }
  return at::cat(strips, 2);
}

AttentionDescription SoftKernelImpl::describe(const TokenGrid& grid) const {
  AttentionDescription description;
  description.mechanism = mechanismName(options_.mechanism);
  description.queryGrid = grid;
  description.keyGrid = grid;
  return description;
}

SoftAttentionImpl::SoftAttentionImpl(const SoftAttentionOptions& options)
    : StageAttention(options.name), heads_(options.heads) {
  queryProjection_ = register_module("W_q", Linear(options.channels, options.channels));
  valueProjection_ = register_module("W_v", Linear(options.channels, options.channels));
  kernel_ = register_module("attn", SoftKernel(options));
  output_ = register_module("ff", Linear(options.channels, options.channels));
}

torch::Tensor SoftAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                         Recorder* recorder) {
  const torch::Tensor query = splitHeads(queryProjection_->forward(tokens), heads_);
  const torch::Tensor value = splitHeads(valueProjection_->forward(tokens), heads_);
  torch::Tensor preciseQuery;
  if (recorder != nullptr && recorder->wantsPrecision()) {
    preciseQuery = splitHeads(linearInDouble(queryProjection_, tokens), heads_);
  }
  const HeadTerms terms = attend(query, value, grid, recorder, preciseQuery);
  return output_->forward(joinTerms(terms, layer(), output_->weight, recorder));
}

HeadTerms SoftAttentionImpl::attend(const torch::Tensor& query, const torch::Tensor& value,
                                    const TokenGrid& grid, Recorder* recorder,
                                    const torch::Tensor& preciseQuery) {
  if (query.scalar_type() != torch::kBFloat16) {
    return kernel_->forward(query, value, grid, recorder, preciseQuery);
  }
  // The steps of an inverse need more than bfloat16's eight bits, even under mixed precision.
  const c10::impl::ExcludeDispatchKeyGuard fullPrecision(c10::autocast_dispatch_keyset);
  return kernel_->forward(query.to(torch::kFloat32), value.to(torch::kFloat32), grid, recorder);
}

}  // namespace softscope
