#include "core/network/Recorder.h"
#include "models/lra/LraNetwork.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <string>

namespace softscope {
namespace {

constexpr int sequence = 6;
constexpr int embedding = 5;

/// Nyströmformer's attention with two heads of four channels and random weights.
LraAttention nystromAttention(int landmarks) {
  LraAttention attention(LraAttentionOptions{.mechanism = LraMechanism::Nystrom,
                                             .name = "mha",
                                             .channels = embedding,
                                             .heads = 2,
                                             .inner = 8,
                                             .tokens = sequence,
                                             .landmarks = landmarks});
  torch::manual_seed(1);
  for (torch::Tensor& parameter : attention->parameters()) parameter.normal_();
  return attention;
}

/// Returns tokens [1, n, C] mapped by a linear layer of the attention.
torch::Tensor mapped(LraAttention& attention, const std::string& layer, const torch::Tensor& x) {
  const auto parameters = attention->named_parameters();
  return at::linear(x, parameters[layer + ".weight"], parameters[layer + ".bias"]);
}

double differenceOf(const torch::Tensor& first, const torch::Tensor& second) {
  return (first - second).abs().max().item<double>();
}

TEST(LraAttention, AMaskedQueryOfNystromformerAttendsEvenlyEvenIfAllTokensAreLandmarks) {
  const torch::NoGradGuard noGradient;
  LraAttention attention = nystromAttention(sequence);
  const torch::Tensor tokens = torch::randn({1, sequence, embedding});
  const torch::Tensor mask = torch::tensor({{1.0f, 0.0f, 1.0f, 1.0f, 0.0f, 1.0f}});
  const torch::Tensor output =
      attention->forward(tokens, mask, TokenGrid{2, sequence / 2}, nullptr);
  const torch::Tensor values = mapped(attention, "W_v", tokens);
  const torch::Tensor mean = (values * mask.unsqueeze(-1)).sum(1, true) / mask.sum().item<double>();
  const torch::Tensor even = mapped(attention, "ff", mean)[0][0];
  EXPECT_LT(differenceOf(output[0][1], even), 1e-5);
  EXPECT_LT(differenceOf(output[0][4], even), 1e-5);
  EXPECT_GT(differenceOf(output[0][0], even), 1e-2);
}

class NormsRecorder final : public Recorder {
 public:
  void record(AttentionRecord record) override {
    queryL1 = record.queryL1;
    keyL1 = record.keyL1;
  }

  torch::Tensor queryL1, keyL1;  ///< [heads, n]
};

TEST(LraAttention, NormsAreThoseOfProjectedQueriesAndKeysEvenIfTheyAreMasked) {
  const torch::NoGradGuard noGradient;
  const torch::Tensor tokens = torch::randn({1, sequence, embedding});
  const torch::Tensor mask = torch::tensor({{1.0f, 0.0f, 1.0f, 1.0f, 0.0f, 1.0f}});
  for (const int landmarks : {sequence, sequence / 2}) {
    LraAttention attention = nystromAttention(landmarks);
    NormsRecorder recorder;
    attention->forward(tokens, mask, TokenGrid{2, sequence / 2}, &recorder);
    const auto normsOf = [&](const char* layer) {
      return mapped(attention, layer, tokens)[0].reshape({sequence, 2, 4}).abs().sum(-1).t();
    };
    EXPECT_LT(differenceOf(recorder.queryL1, normsOf("W_q")), 1e-5) << landmarks;
    EXPECT_LT(differenceOf(recorder.keyL1, normsOf("W_k")), 1e-5) << landmarks;
  }
}

// All weights are even then, and so is the inverse of those between landmarks.
TEST(LraAttention, NystromformerAttendsEvenlyIfEverythingIsMasked) {
  const torch::NoGradGuard noGradient;
  LraAttention attention = nystromAttention(sequence / 2);
  const torch::Tensor tokens = torch::randn({1, sequence, embedding});
  const torch::Tensor output =
      attention->forward(tokens, torch::zeros({1, sequence}), TokenGrid{2, sequence / 2}, nullptr);
  const torch::Tensor mean = mapped(attention, "W_v", tokens).mean(1, true);
  EXPECT_LT(differenceOf(output, mapped(attention, "ff", mean).expand_as(output)), 1e-4);
}

}  // namespace
}  // namespace softscope
