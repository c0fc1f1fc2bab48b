#include "models/attention/SoftmaxAttention.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// Heads of a projection [B, n, heads * d] as they lie in it.
torch::Tensor interleavedHeads(std::int64_t pictures, std::int64_t heads, std::int64_t tokens) {
  return torch::randn({pictures, tokens, heads, 24}).transpose(1, 2);
}

struct AttentionSizes {
  std::int64_t pictures;
  std::int64_t heads;
  std::int64_t queries;
  std::int64_t keys;
};

// One query, parts of a block, several blocks, heads that threads share, and more than one strip.
TEST(SoftmaxAttention, IsThatOfTheWholeMatrixOnAnyNumberOfThreads) {
  const int threads = at::get_num_threads();
  for (const AttentionSizes& sizes :
       {AttentionSizes{1, 1, 1, 5}, AttentionSizes{2, 3, 33, 7}, AttentionSizes{1, 6, 197, 197},
        AttentionSizes{1, 1, 600, 150}, AttentionSizes{2, 5, 521, 90}, AttentionSizes{1, 2, 40, 1},
        AttentionSizes{1, 1, 9000, 8200}}) {
    torch::manual_seed(static_cast<std::uint64_t>(sizes.queries));
    const torch::Tensor query = interleavedHeads(sizes.pictures, sizes.heads, sizes.queries);
    const torch::Tensor key = interleavedHeads(sizes.pictures, sizes.heads, sizes.keys);
    const torch::Tensor value = interleavedHeads(sizes.pictures, sizes.heads, sizes.keys);
    const torch::Tensor scores =
        0.3 * query.to(torch::kFloat64).matmul(key.to(torch::kFloat64).transpose(-1, -2));
    const torch::Tensor expected = scores.softmax(-1).matmul(value.to(torch::kFloat64));
    for (const int count : {1, 2, 3}) {
      SCOPED_TRACE(std::to_string(sizes.queries) + " queries, " + std::to_string(count));
      at::set_num_threads(count);
      for (const bool isInferred : {true, false}) {
        const c10::InferenceMode inference(isInferred);
        const torch::Tensor attended =
            softmaxAttention(query, key, value, 0.3, "layer", {}, nullptr);
        EXPECT_EQ(attended.sizes(), expected.sizes());
        EXPECT_LT((attended - expected).abs().max().item<double>(), 1e-5);
      }
    }
  }
  at::set_num_threads(threads);
}

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
