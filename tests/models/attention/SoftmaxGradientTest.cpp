#include "models/attention/SoftmaxAttention.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdint>
#include <vector>

namespace softscope {
namespace {

// Few tokens keep their scores, 4 200 compute them again.
TEST(SoftmaxAttention, HasTheGradientOfTheWholeMatrixForManyTokens) {
  for (const std::int64_t tokens : {std::int64_t{50}, std::int64_t{4200}}) {
    SCOPED_TRACE(tokens);
    torch::manual_seed(1);
    std::vector<torch::Tensor> inputs;
    for (int i = 0; i < 3; ++i) {
      inputs.push_back(torch::randn({1, 1, tokens, 5}, torch::kFloat64).requires_grad_());
    }
    const torch::Tensor weights = torch::randn({1, 1, tokens, 5}, torch::kFloat64);
    const torch::Tensor ours =
        softmaxAttention(inputs[0], inputs[1], inputs[2], 0.7, "layer", {}, nullptr);
    const auto gradients =
        torch::autograd::grad({(ours * weights).sum()}, {inputs[0], inputs[1], inputs[2]});
    const torch::Tensor whole =
        (0.7 * inputs[0].matmul(inputs[1].transpose(-1, -2))).softmax(-1).matmul(inputs[2]);
    EXPECT_LT((ours - whole).abs().max().item<double>(), 1e-12);
    const auto expected =
        torch::autograd::grad({(whole * weights).sum()}, {inputs[0], inputs[1], inputs[2]});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT((gradients[i] - expected[i]).norm().item<double>(),
                1e-12 * expected[i].norm().item<double>());
    }
  }
}

}  // namespace
}  // namespace softscope
