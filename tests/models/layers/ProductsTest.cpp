#include "models/layers/Layers.h"
#include "models/layers/Products.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace softscope {
namespace {

TEST(Activation, IsThatOfFloat64WhateverComputesIt) {
  const torch::Tensor exact = at::linspace(-12, 12, 9999, torch::kFloat64).view({3, 3333});
  const torch::Tensor gelu = exact * (1 + (exact / std::sqrt(2.0)).erf()) / 2;
  // In an inference and where a gradient is wanted; as it lies and transposed.
  for (const bool learns : {false, true}) {
    torch::Tensor x = exact.to(torch::kFloat32).requires_grad_(learns);
    for (const auto& [given, expected] : {std::pair{x, gelu}, std::pair{x.t(), gelu.t()}}) {
      const torch::Tensor got = activated(given, Activation::Gelu);
      EXPECT_LT((got.to(torch::kFloat64) - expected).abs().max().item<double>(), 2e-6) << learns;
      EXPECT_EQ(got.requires_grad(), learns);
    }
  }
  const torch::Tensor none = torch::empty({0, 4});
  EXPECT_EQ(activated(none, Activation::Gelu).sizes(), none.sizes());
}

}  // namespace

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

namespace {

torch::Tensor random(std::vector<std::int64_t> shape) {
  torch::manual_seed(static_cast<std::uint64_t>(shape.size()));
  return torch::randn(shape);
}

/// Largest difference from a computation in float64, relative to its largest value.
double error(const torch::Tensor& got, const torch::Tensor& exact) {
  EXPECT_EQ(got.sizes(), exact.sizes());
  return ((got.to(torch::kFloat64) - exact).abs().max() / exact.abs().max()).item<double>();
}

torch::Tensor exactLinear(const torch::Tensor& x, const torch::Tensor& weight,
                          const torch::Tensor& bias) {
  return at::linear(x.to(torch::kFloat64), weight.to(torch::kFloat64),
                    bias.defined() ? bias.to(torch::kFloat64) : bias);
}

template <typename Compute>
auto withThreads(int threads, const Compute& compute) {
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  const auto result = compute();
  at::set_num_threads(before);
  return result;
}

class Products : public testing::Test {
 protected:
  const c10::InferenceMode inference_;
};

TEST_F(Products, LinearIsItsFormulaWithEveryActivation) {
  for (const auto& [rows, inputs, outputs] :
       {std::tuple{1, 1, 1}, {1, 64, 10}, {7, 33, 130}, {784, 128, 1024}}) {
    const torch::Tensor x = random({2, rows, inputs});
    const torch::Tensor weight = random({outputs, inputs});
    for (const torch::Tensor& bias : {torch::Tensor(), random({outputs})}) {
      const torch::Tensor exact = exactLinear(x, weight, bias);
      EXPECT_LT(error(linearProduct(x, weight, bias), exact), 1e-6);
      EXPECT_LT(error(linearProduct(x, weight, bias, Activation::Gelu), at::gelu(exact)), 1e-6);
      EXPECT_LT(
          error(linearProduct(x, weight, bias, Activation::TanhGelu), at::gelu(exact, "tanh")),
          1e-6);
    }
  }
}

TEST_F(Products, LinearTakesTokensInAnyOrderAndSlicesOfWeights) {
  const torch::Tensor x = random({2, 32, 50}).transpose(1, 2);
  const torch::Tensor weight = random({96, 32});
  const torch::Tensor bias = random({96});
  EXPECT_LT(error(linearProduct(x, weight, bias), exactLinear(x, weight, bias)), 1e-6);
  const torch::Tensor part = weight.slice(0, 32, 64);
  const torch::Tensor itsBias = bias.slice(0, 32, 64);
  EXPECT_LT(error(linearProduct(x, part, itsBias), exactLinear(x, part, itsBias)), 1e-6);
  EXPECT_EQ(linearProduct(random({0, 32}), weight, bias).sizes(),
            (std::vector<std::int64_t>{0, 96}));
}

TEST(Parallel, LoopsAreDealtOutToThreads) {
  std::vector<std::thread::id> ids(2);
  withThreads(2, [&] {
    at::parallel_for(0, 2, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        ids[static_cast<std::size_t>(i)] = std::this_thread::get_id();
      }
    });
    return 0;
  });
  EXPECT_NE(ids[0], ids[1]);
}

TEST(Parallel, ActivationsDoNotHangOnTheNumberOfThreads) {
  const torch::NoGradGuard noGradient;
  const torch::Tensor x = random({100'003, 1});
  const auto compute = [&] {
    return linearProduct(x, torch::ones({1, 1}), {}, Activation::TanhGelu);
  };
  EXPECT_TRUE(at::equal(withThreads(1, compute), withThreads(3, compute)));
}

TEST_F(Products, MatricesMayLieInMemoryInAnyWay) {
  const torch::Tensor tokens = random({2, 49, 5, 16});  // [B, n, heads, d]
  const torch::Tensor query = tokens.transpose(1, 2);
  const torch::Tensor key = random({2, 5, 23, 16});
  // One projection's keys, with its queries and values between them.
  const torch::Tensor fused = random({2, 23, 3, 5, 16}).select(2, 1).transpose(1, 2);
  const std::vector<std::pair<torch::Tensor, torch::Tensor>> factors{
      {query, key.transpose(-1, -2)},
      {key, query.transpose(-1, -2)},
      {query, fused.transpose(-1, -2)},
      {fused, fused.transpose(-1, -2)},
      {fused.transpose(-1, -2), fused},
      {query.transpose(-1, -2), query},
      {query.slice(2, 3, 40, 2), key.transpose(-1, -2)},
      {query.slice(3, 0, 16, 2), key.slice(3, 0, 16, 2).transpose(-1, -2)},
      {query.select(2, 0).unsqueeze(2), key.transpose(-1, -2)},
      {query, random({16, 3})},
      {random({1, 5, 49, 16}).expand({2, -1, -1, -1}), key.transpose(-1, -2)},
      {random({49, 1}), random({1, 7})},
  };
  for (const auto& [a, b] : factors) {
    const torch::Tensor exact = at::matmul(a.to(torch::kFloat64), b.to(torch::kFloat64));
    EXPECT_LT(error(matrixProduct(a, b), exact), 1e-6) << a.sizes() << b.sizes();
  }
}

TEST_F(Products, TheSoftmaxOfRowsIsThatOfFloat64) {
  for (const int columns : {1, 7, 197, 3000}) {
    for (const bool isMasked : {false, columns > 1}) {
      const torch::Tensor scores = 9 * random({2, 3, 5, columns});
      if (isMasked) scores.select(-1, 0).fill_(-std::numeric_limits<float>::infinity());
      const torch::Tensor exact = scores.to(torch::kFloat64).softmax(-1);
      const torch::Tensor softmax = softmaxOfRows(scores.clone());
      EXPECT_LT((softmax.to(torch::kFloat64) - exact).abs().max().item<double>(), 1e-6) << columns;
      const torch::Tensor standing = scores.transpose(1, 2).clone().transpose(1, 2);
      EXPECT_TRUE(at::allclose(softmaxOfRows(standing), softmax, 1e-5, 1e-6)) << columns;
    }
  }
  EXPECT_EQ(softmaxOfRows(random({2, 0, 4})).numel(), 0);
}

TEST_F(Products, WhatIsNoNumberStaysNone) {
  torch::Tensor x = random({4, 32});
  x[2][5] = std::numeric_limits<float>::quiet_NaN();
  const torch::Tensor weight = random({48, 32});
  for (const Activation activation : {Activation::None, Activation::Gelu, Activation::TanhGelu}) {
    const torch::Tensor y = linearProduct(x, weight, {}, activation);
    EXPECT_TRUE(y[2].isnan().all().item<bool>());
    EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), 48);
  }
}

TEST(ProductsInTraining, AreDifferentiableAndTheSame) {
  const torch::Tensor x = random({3, 20, 64});
  const torch::Tensor weight = random({96, 64}).requires_grad_();
  const torch::Tensor bias = random({96}).requires_grad_();
  const torch::Tensor learnt = linearProduct(x, weight, bias, Activation::TanhGelu);
  ASSERT_TRUE(learnt.requires_grad());
  learnt.sum().backward();
  EXPECT_GT(weight.grad().abs().sum().item<double>(), 0);
  const torch::NoGradGuard inference;
  EXPECT_LT(error(linearProduct(x, weight, bias, Activation::TanhGelu), learnt.to(torch::kFloat64)),
            1e-6);
}

TEST_F(Products, LayerNormIsItsFormula) {
  LayerNorm norm(96, 1e-5);
  norm->weight.copy_(random({96}));
  norm->bias.copy_(random({1, 96})[0]);
  const torch::Tensor rows = random({2, 31, 96}) * 3 + 100;
  for (const torch::Tensor& x : {rows, rows.transpose(0, 1), torch::full({1, 4, 96}, 7.0)}) {
    const torch::Tensor exact =
        at::layer_norm(x.to(torch::kFloat64), {96}, norm->weight.to(torch::kFloat64),
                       norm->bias.to(torch::kFloat64), 1e-5);
    EXPECT_LT(error(norm->forward(x), exact), 1e-5);
  }
}

TEST_F(Products, ARowOfTheSoftmaxIsUndefinedIfOneScoreIs) {
  for (const float score :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const int columns : {4, 16, 49}) {
      torch::Tensor scores = random({3, columns});
      scores[1][columns / 2] = score;
      const torch::Tensor softmax = softmaxOfRows(scores);
      EXPECT_TRUE(softmax[1].isnan().all().item<bool>()) << score << columns;
      EXPECT_EQ(softmax.isnan().sum().item<std::int64_t>(), columns) << score;
    }
  }
}

}  // namespace
}  // namespace softscope
