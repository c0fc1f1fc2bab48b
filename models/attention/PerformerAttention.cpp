#include "models/attention/PerformerAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/attention/MechanismImplementation.h"
#include "models/attention/StableExponential.h"
#include "models/layers/Products.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace softscope {

namespace {

/// Returns phi(x) of [B, heads, n, d], with the largest exponent subtracted: [B, heads, n, m].
torch::Tensor positiveFeatures(const torch::Tensor& x, const torch::Tensor& projection,
                               LargestOf of) {
  const torch::Tensor scaled = x / std::sqrt(std::sqrt(static_cast<double>(x.size(-1))));
  const torch::Tensor products = matrixProduct(scaled, projection.transpose(0, 1));
  return stableExponential(products, scaled.square().sum(-1, true) / 2, of);
}

/// FAVOR+ with floor(d ln d) random features in the buffer `projection` [m, d], which is drawn once
/// and not trained.
class PerformerKernel final : public PyramidKernel {
 public:
  explicit PerformerKernel(const PyramidAttentionOptions& options) : PyramidKernel(options) {
    randomFeatures_ = register_buffer(
        "projection", torch::empty({options.features, options.channels / options.heads}));
  }

  torch::Tensor attend(Input in) override {
    return performerAttention(in.query, in.key, in.value, randomFeatures_, in.layer, in.description,
                              in.recorder);
  }

 private:
  torch::Tensor randomFeatures_;
};

/// Draws Performer's random features, which training never changes; the same ones in every call.
void drawRandomFeatures(const std::vector<PyramidStage>&, torch::nn::Module& network) {
  const torch::NoGradGuard noGradient;
  at::Generator generator = at::detail::createCPUGenerator();
  for (const auto& buffer : network.named_buffers()) {
    if (!buffer.key().ends_with(".attn.projection")) continue;
    torch::Tensor projection = buffer.value();
    projection.copy_(orthogonalRandomFeatures(static_cast<int>(projection.size(0)),
                                              static_cast<int>(projection.size(1)), generator));
  }
}

AttentionOperator makePerformerOperator(const CostRequest& request) {
  const auto width = static_cast<int>(headWidth(request));
  const torch::Tensor features = orthogonalRandomFeatures(performerFeatures(width), width,
                                                          at::detail::getDefaultCPUGenerator())
                                     .to(torch::Device(request.device));
  return
      [features](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
        return performerAttention(query, key, value, features, {}, {}, nullptr);
      };
}

std::int64_t performerNumbers(const CostRequest& request) {
  const int features = performerFeatures(static_cast<int>(headWidth(request)));
  return 2 * std::int64_t{request.tokens} * features;
}

}  // namespace

torch::Tensor performerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& projection,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder) {
  const torch::Tensor left = positiveFeatures(query, projection, LargestOf::Token);
  const torch::Tensor right = positiveFeatures(key, projection, LargestOf::Head);
  description.mechanism = "performer";
  return attendWithFactors({left, right, query, key, sumsAnd(0)}, value, layer, description,
                           recorder);
}

int performerFeatures(int width) {
  return std::max(1, static_cast<int>(width * std::log(static_cast<double>(width))));
}

torch::Tensor orthogonalRandomFeatures(int features, int width, at::Generator generator) {
  std::vector<torch::Tensor> blocks;
  for (int first = 0; first < features; first += width) {
    const torch::Tensor orthogonal =
        std::get<0>(at::linalg_qr(at::randn({width, width}, generator)));
    blocks.push_back(orthogonal.slice(0, 0, std::min(width, features - first)));
  }
  const torch::Tensor lengths = at::randn({features, width}, generator).norm(2, {1}, true);
  return at::cat(blocks) * lengths;
}

MechanismImplementation performerImplementation() {
  return {.mechanism = &mechanismNamed("performer"),
          .makeKernel = makePyramidKernel<PerformerKernel>,
          .ownParameter = "projection",
          .fill = drawRandomFeatures,
          .operators = {{"performer", makePerformerOperator, performerNumbers}}};
}

}  // namespace softscope
