// SOFT and SOFT++ in the form that cost figures measure.
#include "models/attention/MechanismImplementation.h"
#include "models/attention/SoftKernel.h"
#include "models/layers/Products.h"

#include <cmath>

namespace softscope {

namespace {

torch::Tensor invertSoftAsReleased(const torch::Tensor& bottleneck) {
  return invertSoft(bottleneck);
}

torch::Tensor invertSoftNormAsReleased(const torch::Tensor& bottleneck) {
  return normaliseInverse(invertSoftNorm(bottleneck), bottleneck);
}

template <torch::Tensor (*invert)(const torch::Tensor&)>
AttentionOperator makeSoftOperator(const CostRequest& request) {
  const std::int64_t width = headWidth(request);
  const std::int64_t window = request.tokens / costLandmarks * width;
  const torch::Tensor filters =
      at::randn({window, width}, costOptions(request)) / std::sqrt(double(window));
  return [=](const torch::Tensor& query, const torch::Tensor&, const torch::Tensor& value) {
    const torch::Tensor scaled = query / std::sqrt(std::sqrt(static_cast<double>(width)));
    const torch::Tensor windows = scaled.slice(2, 0, costLandmarks * window / width)
                                      .reshape({1, query.size(1), costLandmarks, window});
    const torch::Tensor pooled = matrixProduct(windows, filters);
    const torch::Tensor landmarks = at::gelu(at::layer_norm(pooled, {width}));
    const torch::Tensor toLandmarks = gaussianKernel(scaled, landmarks);
    const torch::Tensor middle = invert(gaussianKernel(landmarks, landmarks));
    const torch::Tensor gathered = matrixProduct(toLandmarks.transpose(-1, -2), value);
    return matrixProduct(toLandmarks, matrixProduct(middle, gathered));
  };
}

std::int64_t softNumbers(const CostRequest& request) {
  constexpr std::int64_t m = costLandmarks;
  return request.tokens * m + 2 * m * m;
}

}  // namespace

MechanismImplementation softImplementation() {
  return {.mechanism = &mechanismNamed("soft"),
          .operators = {{"soft", makeSoftOperator<invertSoftAsReleased>, softNumbers}}};
}

MechanismImplementation softNormImplementation() {
  return {.mechanism = &mechanismNamed("soft++"),
          .operators = {{"soft++", makeSoftOperator<invertSoftNormAsReleased>, softNumbers}}};
}

}  // namespace softscope
