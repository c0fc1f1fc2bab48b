#include "core/Error.h"
#include "models/attention/MechanismImplementation.h"
#include "models/attention/SimaAttention.h"
#include "models/attention/cost/AllocationMeter.h"
#include "models/attention/cost/AttentionCost.h"
#include "models/xcit/XcitAttention.h"

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
    // The process itself holds more, which does not count.
    EXPECT_LT(point.peakBytes, 100 << 20) << mechanism;
    EXPECT_GE(point.runs, 3) << mechanism;
    EXPECT_LE(point.milliseconds, point.quartile1) << mechanism;
    EXPECT_LE(point.quartile1, point.median) << mechanism;
    EXPECT_LE(point.median, point.quartile3) << mechanism;
  }
}

TEST(AttentionCost, EveryMechanismCanBeTrained) {
  for (const std::string& mechanism : costMechanisms()) {
    for (const CostScope scope : {CostScope::Attention, CostScope::Vit12}) {
      CostRequest request{scope, mechanism, 131, 24, 3, 1};
      const CostPoint forward = measureCost(request);
      request.pass = CostPass::Training;
      const CostPoint training = measureCost(request);
      EXPECT_GT(training.milliseconds, 0) << mechanism;
      const std::int64_t learnt =
          scope == CostScope::Vit12 ? 12 * 12 * 24 * 24 + 131 * 24 : 4 * 131 * 24;
      EXPECT_EQ(training.bytes - forward.bytes, 4 * learnt) << mechanism;
    }
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

/// A training of softmax has three at once: the weights, their gradient and that of the products.
TEST(AttentionCost, ATrainingKeepsItsMatricesForTheBackwardPass) {
  const auto held = [](const char* mechanism) {
    const CostPoint point =
        measureCost({CostScope::Attention, mechanism, 2048, 32, 1, 1, CostPass::Training});
    return static_cast<double>(point.bytes + point.peakBytes) / (4 * 2048 * 2048);
  };
  EXPECT_GT(held("softmax"), 2.8);
#ifndef __SANITIZE_ADDRESS__  // which keeps for a while what is freed
  EXPECT_LT(held("softmax"), 4.2);
#endif
  EXPECT_GT(held("softmax_strips"), 0.8);
  EXPECT_LT(held("sima"), 0.8);
}

TEST(AttentionCost, RefusesADeviceThatIsNotThere) {
  CostRequest request{CostScope::Attention, "sima", 64, 24, 3, 1};
  request.device = "cuda:99";
  EXPECT_THROW(measureCost(request), DeviceError);
}

/// The bytes of the tensors that are alive, by arithmetic.
TEST(AllocationMeter, CountsTheMostThatIsHeldAtOnce) {
  constexpr std::int64_t number = 1 << 16;
  const torch::Tensor before = torch::ones({number});
  const AllocationMeter meter(c10::DeviceType::CPU);
  {
    const torch::Tensor one = torch::empty({number});
    const torch::Tensor two = torch::empty({2 * number});
  }
  const torch::Tensor last = torch::empty({number});
  EXPECT_NEAR(static_cast<double>(meter.peakBytes()), 3.0 * 4 * number, 1024);
}

TEST(AllocationMeter, CountsBackwardPassesToo) {
  constexpr std::int64_t number = 1 << 16;
  torch::Tensor leaf = torch::ones({number}).requires_grad_();
  const AllocationMeter meter(c10::DeviceType::CPU);
  const torch::Tensor output = leaf.exp();  // kept for its gradient
  const std::int64_t forward = meter.peakBytes();
  output.backward(torch::ones_like(output));
  EXPECT_NEAR(static_cast<double>(forward), 4.0 * number, 1024);
  EXPECT_GE(meter.peakBytes(), 3 * 4 * number) << "the gradients of the output and of the leaf";
}

TEST(AllocationMeter, CountsNothingOfOtherDevices) {
  const AllocationMeter meter(c10::DeviceType::CUDA);
  const torch::Tensor one = torch::empty({1 << 16});
  EXPECT_EQ(meter.peakBytes(), 0);
}

AttentionOperator crossCovarianceOperator(const CostRequest& request) {
  return crossCovarianceImplementation().operators.front().make(request);
}

TEST(CrossCovariance, OfCostsIsThatOfXcit) {
  const torch::NoGradGuard noGradient;
  torch::manual_seed(3);
  constexpr int channels = 24;
  XcitAttention model(XcitAttentionOptions{.name = "blocks.0.attn",
                                           .channels = channels,
                                           .heads = 3,
                                           .queryBias = false,
                                           .mechanism = XcitMechanism::Channel});
  auto parameters = model->named_parameters();
  for (auto& parameter : parameters) parameter.value().normal_();
  parameters["temperature"].fill_(1);
  parameters["proj.weight"].copy_(torch::eye(channels));
  parameters["proj.bias"].zero_();
  const torch::Tensor tokens = torch::randn({1, 40, channels});
  const std::vector<torch::Tensor> parts =
      at::matmul(tokens, parameters["qkv.weight"].t()).chunk(3, -1);
  const auto heads = [](const torch::Tensor& x) {
    return x.view({1, 40, 3, channels / 3}).transpose(1, 2);
  };
  const AttentionOperator attend =
      crossCovarianceOperator({CostScope::Attention, "xca_channel", 40, channels, 3, 1});
  const torch::Tensor ours = attend(heads(parts[0]), heads(parts[1]), heads(parts[2]));
  const torch::Tensor expected = model->forward(tokens, {5, 8}, nullptr);
  EXPECT_LT((ours.transpose(1, 2).reshape({1, 40, channels}) - expected).abs().max().item<float>(),
            1e-5);
}

TEST(CrossCovariance, IsItsDefinitionInFloat64) {
  torch::manual_seed(4);
  const auto random = [] { return torch::randn({1, 2, 30, 6}, torch::kFloat64); };
  const torch::Tensor query = random();
  const torch::Tensor key = random();
  const torch::Tensor value = random();
  const torch::Tensor temperature = torch::tensor({0.5, 3.0}, torch::kFloat64).view({2, 1, 1});
  const auto unit = [](const torch::Tensor& x) { return x / x.square().sum(2, true).sqrt(); };
  const torch::Tensor products = torch::einsum("bhni,bhnj->bhij", {unit(query), unit(key)});
  const torch::Tensor exponentials = (products * temperature).exp();
  const torch::Tensor weights = exponentials / exponentials.sum(-1, true);
  const torch::Tensor expected = torch::einsum("bhij,bhnj->bhni", {weights, value});
  const torch::Tensor ours = crossCovarianceAttention(query, key, value, temperature, {}, nullptr);
  EXPECT_LT((ours - expected).abs().max().item<double>(), 1e-12);
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
    const torch::Tensor attended =
        simaAttention(query, key, value, SimaNorm::L1, {}, {}, nullptr, order);
    EXPECT_LT((attended - expected).abs().max().item<double>(), 1e-12);
  }
}

TEST(AttentionCost, RefusesWhatIsNotThere) {
  EXPECT_THROW(measureCost({CostScope::Attention, "magic", 64, 24, 3, 1}), InspectionError);
}

}  // namespace
}  // namespace softscope
