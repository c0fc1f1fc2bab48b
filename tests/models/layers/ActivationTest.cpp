#include "models/layers/Products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

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
}  // namespace softscope
