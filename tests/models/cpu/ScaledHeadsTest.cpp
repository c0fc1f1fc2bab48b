#include "models/attention/SoftKernel.h"
#include "models/cpu/ScaledHeads.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

torch::Tensor toDouble(const torch::Tensor& tensor) {
  return tensor.to(torch::kFloat64);
}

/// Heads of a projection [B, n, heads * d] as they lie in it.
torch::Tensor projectedHeads(int tokens, int width) {
  torch::manual_seed(tokens + width);
  return torch::randn({2, tokens, 3, width}).transpose(1, 2);
}

TEST(ScaledHeads, AreMultipliedAndMeasured) {
  const c10::InferenceMode inference;
  for (const int tokens : {1, 7, 800}) {
    for (const int width : {1, 15, 16, 33, 64}) {
      const torch::Tensor heads = projectedHeads(tokens, width);
      const ScaledHeads scaled = scaleHeads(heads, 2.5, true);
      EXPECT_TRUE(at::allclose(toDouble(scaled.scaled), toDouble(heads) * 2.5, 1e-6, 1e-7));
      EXPECT_TRUE(at::allclose(toDouble(scaled.l1), toDouble(heads).abs().sum(-1), 1e-6, 1e-7))
          << tokens << " tokens of " << width;
      EXPECT_TRUE(scaled.scaled.is_contiguous());
      EXPECT_FALSE(scaleHeads(heads, 2.5, false).l1.defined());
    }
  }
}

TEST(ScaledHeads, AreTheSameWhereAGradientIsWanted) {
  const torch::Tensor heads = projectedHeads(50, 24);
  const ScaledHeads inferred = scaleHeads(heads, 1.7, true);
  const torch::Tensor learned = heads.detach().clone().requires_grad_();
  const ScaledHeads scaled = scaleHeads(learned, 1.7, true);
  EXPECT_TRUE(at::allclose(scaled.scaled, inferred.scaled, 1e-6, 1e-7));
  EXPECT_TRUE(at::allclose(scaled.l1, inferred.l1, 1e-6, 1e-6));
  scaled.scaled.sum().backward();
  EXPECT_TRUE(at::allclose(learned.grad(), torch::full_like(heads, 1.7), 1e-6, 0));
}

/// Rows that lie together and rows that do not are measured by different code.
TEST(GaussianKernel, IsThatOfFloat64HoweverItsRowsLie) {
  const c10::InferenceMode inference;
  for (const int width : {3, 16, 37}) {
    const torch::Tensor a = 0.3 * projectedHeads(300, width);
    const torch::Tensor b = 0.3 * projectedHeads(20, width);
    const torch::Tensor expected = (-at::cdist(toDouble(a), toDouble(b), 2, 2).square() / 2).exp();
    for (const torch::Tensor& lying : {a, a.contiguous()}) {
      const torch::Tensor kernel = gaussianKernel(lying, b.contiguous());
      EXPECT_LT((toDouble(kernel) - expected).abs().max().item<double>(), 3e-6) << width;
    }
  }
}

}  // namespace
}  // namespace softscope
