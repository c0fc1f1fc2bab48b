#include "models/identify/Reparametrisation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

StateDict stateOf(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  StateDict state;
  for (const auto& [name, tensor] : tensors) state.insert(name, tensor);
  return state;
}

/// Expects that a weight is the only tensor and has these numbers.
void expectWeight(const StateDict& state, const torch::Tensor& expected) {
  const StateDict computed = withComputedWeights(state);
  ASSERT_EQ(computed.size(), 1U);
  EXPECT_EQ(computed.entries().front().name, "fc.weight");
  EXPECT_TRUE(computed.entries().front().tensor.allclose(expected, 1e-6, 1e-6));
}

TEST(Reparametrisation, WeightNormGivesDirectionsTheirLengths) {
  const torch::Tensor direction = torch::tensor({{3.0F, 4.0F}, {0.0F, 2.0F}});
  const torch::Tensor lengths = torch::tensor({{10.0F}, {1.0F}});
  const torch::Tensor expected = torch::tensor({{6.0F, 8.0F}, {0.0F, 1.0F}});
  expectWeight(stateOf({{"fc.weight_g", lengths}, {"fc.weight_v", direction}}), expected);
  expectWeight(stateOf({{"fc.parametrizations.weight.original0", lengths},
                        {"fc.parametrizations.weight.original1", direction}}),
               expected);
  // Along the second dimension, and of the whole.
  expectWeight(stateOf({{"fc.weight_g", torch::tensor({{3.0F, 0.5F}})},
                        {"fc.weight_v", torch::tensor({{3.0F, 0.0F}, {0.0F, 2.0F}})}}),
               torch::tensor({{3.0F, 0.0F}, {0.0F, 0.5F}}));
  expectWeight(stateOf({{"fc.weight_g", torch::tensor(10.0F)},
                        {"fc.weight_v", torch::tensor({{3.0F, 4.0F}})}}),
               torch::tensor({{6.0F, 8.0F}}));
}

TEST(Reparametrisation, SpectralNormDividesByTheLargestSingularValue) {
  const torch::Tensor original = torch::tensor({{4.0F, 0.0F, 0.0F}, {0.0F, 2.0F, 0.0F}});
  const torch::Tensor left = torch::tensor({1.0F, 0.0F});
  const torch::Tensor right = torch::tensor({1.0F, 0.0F, 0.0F});
  expectWeight(
      stateOf({{"fc.weight_orig", original}, {"fc.weight_u", left}, {"fc.weight_v", right}}),
      original / 4);
  expectWeight(stateOf({{"fc.parametrizations.weight.original", original},
                        {"fc.parametrizations.weight.0._u", left},
                        {"fc.parametrizations.weight.0._v", right}}),
               original / 4);
}

TEST(Reparametrisation, PrunedWeightsAreZeroWhereTheMaskIs) {
  expectWeight(stateOf({{"fc.weight_orig", torch::tensor({{4.0F, 3.0F}})},
                        {"fc.weight_mask", torch::tensor({{0.0F, 1.0F}})}}),
               torch::tensor({{0.0F, 3.0F}}));
}

TEST(Reparametrisation, WhatIsNotCertainIsLeftAndNamed) {
  const StateDict orthogonal =
      stateOf({{"fc.parametrizations.weight.original", torch::ones({2, 2})},
               {"fc.parametrizations.weight.0.base", torch::eye(2)}});
  EXPECT_EQ(withComputedWeights(orthogonal).size(), 2U);
  EXPECT_THAT(parametrisedText(orthogonal), AllOf(HasSubstr("'fc.parametrizations.weight.0.base'"),
                                                  HasSubstr("remove_parametrizations")));
  const StateDict empty = stateOf({{"fc.weight_orig", torch::ones({0, 0})},
                                   {"fc.weight_u", torch::ones({0})},
                                   {"fc.weight_v", torch::ones({0})}});
  EXPECT_EQ(withComputedWeights(empty).size(), 3U);
  const StateDict bare = stateOf({{"fc.weight_orig", torch::ones({2, 2})}});
  EXPECT_TRUE(withComputedWeights(bare).contains("fc.weight_orig"));
  const StateDict both = stateOf({{"fc.weight", torch::ones({2, 2})},
                                  {"fc.weight_g", torch::ones({2, 1})},
                                  {"fc.weight_v", torch::ones({2, 2})}});
  EXPECT_EQ(withComputedWeights(both).size(), 3U) << "the weight is there";
  EXPECT_EQ(parametrisedText(both), "");
}

}  // namespace
}  // namespace softscope
