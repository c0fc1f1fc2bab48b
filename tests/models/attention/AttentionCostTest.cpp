#include "core/Error.h"
#include "models/attention/AttentionCost.h"
#include "models/attention/SimaAttention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace softscope {
namespace {

TEST(AttentionCost, EveryMechanismRuns) {
  for (const std::string& mechanism : costMechanisms()) {
    // A number of tokens that neither landmarks nor a square divide.
    const CostPoint point = measureCost({CostScope::Attention, mechanism, 131, 24, 3, 1});
    EXPECT_GT(point.milliseconds, 0) << mechanism;
    EXPECT_GE(point.bytes, 4 * 4 * 131 * 24) << mechanism;
    EXPECT_GE(point.peakBytes, 0) << mechanism;
  }
}

TEST(AttentionCost, TwelveBlocksHoldTheirWeights) {
  const CostPoint point = measureCost({CostScope::Vit12, "soft", 131, 24, 3, 1});
  EXPECT_GT(point.milliseconds, 0);
  EXPECT_EQ(point.bytes, 4 * (12 * 12 * 24 * 24 + 2 * 131 * 24 + 3 * (131 * 49 + 2 * 49 * 49)));
}

TEST(AttentionCost, BytesAreInputsOutputAndFactors) {
  const auto bytes = [](const char* mechanism) {
    return measureCost({CostScope::Attention, mechanism, 100, 24, 3, 1}).bytes;
  };
  const std::int64_t io = 4 * 4 * 100 * 24;
  EXPECT_EQ(bytes("softmax"), io + 4 * 3 * 100 * 100);
  EXPECT_EQ(bytes("softmax_strips"), io);
  EXPECT_EQ(bytes("soft"), io + 4 * 3 * (100 * 49 + 2 * 49 * 49));
  EXPECT_EQ(bytes("nystromformer"), io + 4 * 3 * (2 * 100 * 49 + 2 * 49 * 49));
  EXPECT_EQ(bytes("sima"), io + 4 * 2 * 100 * 24);
}

TEST(AttentionCost, TheHighWaterOfSoftmaxHoldsASecondMatrix) {
  const CostPoint point = measureCost({CostScope::Attention, "softmax", 2048, 32, 1, 1});
  // The products, beside the softmax that `bytes` counts.
  EXPECT_GT(point.peakBytes, 0.8 * 4 * 2048 * 2048);
  EXPECT_LT(point.peakBytes, 2.0 * 4 * 2048 * 2048);
  const CostPoint linear = measureCost({CostScope::Attention, "sima", 2048, 32, 1, 1});
  EXPECT_LT(linear.peakBytes, 0.2 * 4 * 2048 * 2048);
}

TEST(AttentionCost, SimasOrdersGiveTheSameNumbers) {
  torch::manual_seed(1);
  const auto random = [] { return torch::randn({1, 2, 40, 8}, torch::kFloat64); };
  const torch::Tensor query = random();
  const torch::Tensor key = random();
  const torch::Tensor value = random();
  const auto norm = [](const torch::Tensor& x) { return x / x.abs().sum(2, true); };
  const torch::Tensor expected =
      torch::einsum("bhid,bhjd,bhje->bhie", {norm(query), norm(key), value});
  for (const SimaOrder order : {SimaOrder::Cheaper, SimaOrder::Linear, SimaOrder::Quadratic}) {
    const torch::Tensor attended = simaAttention(query, key, value, 1e-12, {}, {}, nullptr, order);
    EXPECT_LT((attended - expected).abs().max().item<double>(), 1e-12);
  }
}

TEST(AttentionCost, RefusesWhatIsNotThere) {
  EXPECT_THROW(measureCost({CostScope::Attention, "magic", 64, 24, 3, 1}), InspectionError);
}

}  // namespace
}  // namespace softscope
