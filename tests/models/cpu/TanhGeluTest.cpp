#include "models/cpu/TanhGelu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

/// Everything from where the activation is nought to where it is the identity.
torch::Tensor wholeRange() {
  return at::linspace(-14, 14, 10007, torch::kFloat64);
}

TEST(TanhGelu, IsItsFormulaToTheLastBitsOfFloat32) {
  const torch::Tensor x = wholeRange();
  const torch::Tensor u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  const torch::Tensor expected = x * (1 + u.tanh()) / 2;
  const torch::Tensor got = tanhGelu(x.to(torch::kFloat32)).to(torch::kFloat64);
  EXPECT_LT(((got - expected).abs() / expected.abs().clamp_min(1)).max().item<double>(), 5e-7);
}

TEST(TanhGelu, HasTheGradientOfLibTorchsInFloat64) {
  const torch::Tensor exact = wholeRange().requires_grad_();
  const torch::Tensor x = wholeRange().to(torch::kFloat32).requires_grad_();
  const torch::Tensor weights = at::linspace(-1, 2, x.numel(), torch::kFloat64);
  (at::gelu(exact, "tanh") * weights).sum().backward();
  (tanhGelu(x) * weights.to(torch::kFloat32)).sum().backward();
  EXPECT_LT((x.grad() - exact.grad()).abs().max().item<double>(), 4e-6);
}

TEST(TanhGelu, TakesTransposedAndOddlySizedInput) {
  const torch::Tensor x = torch::randn({7, 13});
  EXPECT_TRUE(at::allclose(tanhGelu(x.t()), tanhGelu(x).t()));
  EXPECT_TRUE(at::allclose(tanhGelu(x.t()), at::gelu(x.t(), "tanh"), 1e-6, 1e-6));
  EXPECT_EQ(tanhGelu(torch::empty({0, 4})).numel(), 0);
}

TEST(TanhGelu, SaturatesAndKeepsWhatIsNotANumber) {
  const torch::Tensor got =
      tanhGelu(torch::tensor({-1e30F, 1e30F, std::numeric_limits<float>::quiet_NaN()}));
  EXPECT_NEAR(got[0].item<float>(), 0, 1e-6);
  EXPECT_EQ(got[1].item<float>(), 1e30F);
  EXPECT_TRUE(got[2].isnan().item<bool>());
}

}  // namespace
}  // namespace softscope
