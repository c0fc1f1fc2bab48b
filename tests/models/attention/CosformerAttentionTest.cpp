#include "models/attention/CosformerAttention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace softscope {
namespace {

struct Sizes {
  std::int64_t pictures;
  std::int64_t heads;
  std::int64_t tokens;
  std::int64_t width;
};

/// What learns, in float64 and with a gradient.
struct CosformerInputs {
  explicit CosformerInputs(const Sizes& sizes) {
    torch::manual_seed(5);
    const auto random = [&] {
      return torch::randn({sizes.pictures, sizes.heads, sizes.tokens, sizes.width}, torch::kFloat64)
          .requires_grad_();
    };
    query = random();
    key = random();
    value = random();
    weights = torch::rand({sizes.tokens, 4}, torch::kFloat64);
    // The second token of each head asks for nothing.
    torch::NoGradGuard noGradient;
    query.select(2, 1).abs_().neg_();
  }

  std::vector<torch::Tensor> gradientsOf(const torch::Tensor& result) const {
    torch::manual_seed(6);
    return torch::autograd::grad({result}, {query, key, value}, {torch::randn_like(result)});
  }

  torch::Tensor query;
  torch::Tensor key;
  torch::Tensor value;
  torch::Tensor weights;
};

/// All features at once, and the attention as a whole matrix.
torch::Tensor direct(const CosformerInputs& inputs) {
  const auto features = [&](const torch::Tensor& x) {
    return at::cat(
        {x.relu() * inputs.weights.slice(1, 0, 1), x.relu() * inputs.weights.slice(1, 1, 2),
         x.relu() * inputs.weights.slice(1, 2, 3), x.relu() * inputs.weights.slice(1, 3, 4)},
        -1);
  };
  const torch::Tensor scores =
      at::matmul(features(inputs.query), features(inputs.key).transpose(-1, -2));
  return at::matmul(scores / scores.sum(-1, true).clamp_min(1e-6), inputs.value);
}

class CosformerProductOf : public testing::TestWithParam<Sizes> {};

TEST_P(CosformerProductOf, IsTheWholeMatrixTimesTheValuesWithItsGradients) {
  const CosformerInputs inputs(GetParam());
  const torch::Tensor expected = direct(inputs);
  const torch::Tensor result =
      cosformerProduct(inputs.query, inputs.key, inputs.value, inputs.weights);
  EXPECT_TRUE(at::allclose(result, expected, 1e-9, 1e-12));
  EXPECT_EQ(result.select(2, 1).abs().max().item<double>(), 0);
  const auto gradients = inputs.gradientsOf(result);
  const auto expectedGradients = inputs.gradientsOf(expected);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_GT(expectedGradients[i].abs().max().item<double>(), 0);
    EXPECT_TRUE(at::allclose(gradients[i], expectedGradients[i], 1e-9, 1e-12)) << i;
  }
}

// All at once; a few heads at once, of which the last have fewer; heads one by one; a few pictures.
INSTANTIATE_TEST_SUITE_P(Parts, CosformerProductOf,
                         testing::Values(Sizes{2, 3, 35, 8}, Sizes{1, 4, 3000, 4},
                                         Sizes{1, 2, 4200, 3}, Sizes{70, 2, 100, 4}));

TEST(CosformerProduct, InFloatsIsThatInDoubles) {
  const CosformerInputs inputs({1, 3, 500, 32});
  const torch::Tensor expected = direct(inputs);
  const torch::Tensor result =
      cosformerProduct(inputs.query.to(torch::kFloat32), inputs.key.to(torch::kFloat32),
                       inputs.value.to(torch::kFloat32), inputs.weights.to(torch::kFloat32));
  EXPECT_LT((result - expected).abs().max().item<double>(), 1e-5);
}

TEST(CosformerProduct, TakesHeadsThatLieBesideEachOtherInEveryToken) {
  const CosformerInputs inputs({2, 3, 40, 8});
  const auto beside = [](const torch::Tensor& x) {
    return x.detach().transpose(1, 2).contiguous().transpose(1, 2).requires_grad_();
  };
  const torch::Tensor query = beside(inputs.query), key = beside(inputs.key);
  const torch::Tensor value = beside(inputs.value);
  const torch::Tensor result = cosformerProduct(query, key, value, inputs.weights);
  EXPECT_TRUE(at::allclose(result, direct(inputs), 1e-9, 1e-12));
  const auto gradients = torch::autograd::grad({result.square().sum()}, {query, key, value});
  const auto expected = torch::autograd::grad({direct(inputs).square().sum()},
                                              {inputs.query, inputs.key, inputs.value});
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_TRUE(at::allclose(gradients[i], expected[i], 1e-9, 1e-12)) << i;
  }
}

}  // namespace
}  // namespace softscope
