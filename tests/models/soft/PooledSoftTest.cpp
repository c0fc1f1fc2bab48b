#include "core/Error.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "core/network/NetworkModule.h"
#include "models/OpenModel.h"
#include "models/Trainable.h"
#include "models/soft/SoftAttention.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int pooledHeads = 3;
constexpr int pooledRatio = 4;
/// A rest at the right and at the bottom has no landmark.
const TokenGrid pooledGrid{9, 14};

/// Attention with values of a size that spreads queries, so that A is far from singular.
SoftAttention attentionWithPooledLandmarks() {
  const torch::NoGradGuard noGradient;
  torch::manual_seed(5);
  SoftAttention attention(SoftAttentionOptions{.name = "block1.0.att.mha.attn",
                                               .channels = 24,
                                               .heads = pooledHeads,
                                               .ratio = pooledRatio,
                                               .convolution = 3,
                                               .pooledLandmarks = true});
  for (torch::Tensor& parameter : attention->parameters()) parameter.normal_(0, 0.7);
  return attention;
}

/// exp(-|a_i - b_j|^2 / 2) of [heads, n, d] and [heads, m, d], every difference written out.
torch::Tensor denseGaussianKernel(const torch::Tensor& a, const torch::Tensor& b) {
  return at::exp(-0.5 * (a.unsqueeze(2) - b.unsqueeze(1)).square().sum(-1));
}

/// SOFT's inverse by its definition: twenty steps X <- 2 X - X A X with A + 0.01 I.
torch::Tensor denseInverse(const torch::Tensor& kernel) {
  const torch::Tensor largest = std::get<0>(kernel.sum(-1).max(-1)).view({-1, 1, 1});
  const torch::Tensor damped = kernel + 0.01 * at::eye(kernel.size(-1), kernel.options());
  torch::Tensor inverse = 1.8 / largest.square() * damped;
  for (int step = 0; step < 20; ++step) {
    inverse = 2 * inverse - at::matmul(at::matmul(inverse, damped), inverse);
  }
  return inverse;
}

/// V [heads, n, d] filtered with a stencil of 3 x 3 a head, shift by shift.
torch::Tensor shiftedSum(const torch::Tensor& value, const torch::Tensor& filters) {
  const torch::Tensor map =
      value.view({value.size(0), pooledGrid.height, pooledGrid.width, value.size(2)});
  const torch::Tensor padded = at::constant_pad_nd(map, {0, 0, 1, 1, 1, 1});
  torch::Tensor sum = torch::zeros_like(map);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      const torch::Tensor weight = filters.select(1, 0).select(1, y).select(1, x);
      sum = sum + weight.view({-1, 1, 1, 1}) *
                      padded.slice(1, y, y + pooledGrid.height).slice(2, x, x + pooledGrid.width);
    }
  }
  return sum.view_as(value);
}

/// All of the attention in float64 with the n x n matrix S whole.
torch::Tensor denseAttention(const SoftAttention& attention, const torch::Tensor& tokens) {
  const auto parameters = attention->named_parameters();
  const auto parameter = [&](const std::string& name) {
    return parameters[name].detach().to(torch::kFloat64);
  };
  const auto project = [&](const torch::Tensor& x, const std::string& name) {
    return at::matmul(x, parameter(name + ".weight").t()) + parameter(name + ".bias");
  };
  const torch::Tensor x = tokens[0].to(torch::kFloat64);
  const auto heads = [](const torch::Tensor& y) {
    return y.view({y.size(0), pooledHeads, -1}).transpose(0, 1).contiguous();
  };
  const torch::Tensor value = heads(project(x, "W_v"));
  const torch::Tensor query =
      heads(project(x, "W_q")) / std::pow(static_cast<double>(value.size(2)), 0.25);
  const torch::Tensor landmarks =
      query.view({pooledHeads, pooledGrid.height, pooledGrid.width, -1})
          .slice(1, 0, 2 * pooledRatio)
          .slice(2, 0, 3 * pooledRatio)
          .reshape({pooledHeads, 2, pooledRatio, 3, pooledRatio, query.size(2)})
          .mean({2, 4})
          .view({pooledHeads, 6, query.size(2)});
  const torch::Tensor outer = denseGaussianKernel(query, landmarks);
  const torch::Tensor matrix =
      at::matmul(at::matmul(outer, denseInverse(denseGaussianKernel(landmarks, landmarks))),
                 outer.transpose(1, 2));
  const torch::Tensor attended =
      at::matmul(matrix, value) + shiftedSum(value, parameter("attn.conv.weight"));
  return project(attended.transpose(0, 1).reshape({x.size(0), -1}), "ff");
}

TEST(PooledSoft, EqualsADenseEvaluationInFloat64) {
  SoftAttention attention = attentionWithPooledLandmarks();
  const torch::Tensor tokens = torch::randn({1, pooledGrid.count(), 24});
  const torch::Tensor expected = denseAttention(attention, tokens);
  const torch::Tensor learning = attention->forward(tokens, pooledGrid, nullptr)[0];
  const torch::NoGradGuard noGradient;
  const torch::Tensor inferred = attention->forward(tokens, pooledGrid, nullptr)[0];
  for (const torch::Tensor& actual : {learning, inferred}) {
    EXPECT_LT(((actual - expected).norm() / expected.norm()).item<double>(), 1e-5);
  }
}

TEST(PooledSoft, SendsTheLandmarksGradientIntoTheQueries) {
  SoftKernel kernel(SoftAttentionOptions{.name = "block1.0.att.mha.attn",
                                         .channels = 24,
                                         .heads = pooledHeads,
                                         .ratio = pooledRatio,
                                         .pooledLandmarks = true});
  EXPECT_THAT(kernel->named_parameters().keys(), IsEmpty());
  torch::manual_seed(6);
  torch::Tensor query = torch::randn({1, pooledHeads, pooledGrid.count(), 8}).requires_grad_();
  const torch::Tensor value = torch::randn({1, pooledHeads, pooledGrid.count(), 8});
  kernel->forward(query, value, pooledGrid, nullptr).attention.square().sum().backward();
  const torch::Tensor dense = query.detach().to(torch::kFloat64)[0].requires_grad_();
  // Of an exact inverse, as the authors' code takes it.
  const torch::Tensor scaled = dense / std::pow(8.0, 0.25);
  const torch::Tensor landmarks = scaled.view({pooledHeads, 9, 14, 8})
                                      .slice(1, 0, 8)
                                      .slice(2, 0, 12)
                                      .reshape({pooledHeads, 2, 4, 3, 4, 8})
                                      .mean({2, 4})
                                      .view({pooledHeads, 6, 8});
  const torch::Tensor outer = denseGaussianKernel(scaled, landmarks);
  const torch::Tensor damped = denseGaussianKernel(landmarks, landmarks) +
                               0.01 * torch::eye(6, torch::dtype(torch::kFloat64));
  const torch::Tensor attended =
      at::matmul(at::matmul(outer, at::linalg_inv(damped)),
                 at::matmul(outer.transpose(1, 2), value[0].to(torch::kFloat64)));
  attended.square().sum().backward();
  const torch::Tensor expected = dense.grad();
  EXPECT_GT(expected.norm().item<double>(), 0.1);
  EXPECT_LT(((query.grad()[0] - expected).norm() / expected.norm()).item<double>(), 1e-4);
}

/// A file as a training writes it.
Checkpoint pooledCheckpoint() {
  const TrainableArchitecture& architecture = findTrainable("soft_pooled_nano");
  Checkpoint checkpoint;
  checkpoint.path = "pooled.safetensors";
  checkpoint.metadata = architecture.metadata;
  checkpoint.metadata["architecture"] = architecture.name;
  checkpoint.metadata["mechanism"] = architecture.mechanism;
  forEachTensor(*freshNetwork(architecture, 3, 1),
                [&](const std::string& name, const torch::Tensor& tensor) {
                  checkpoint.state.insert(name, tensor.detach());
                });
  return checkpoint;
}

TEST(PooledSoft, IsRecognisedAsWhatWasTrained) {
  const ModelSummary summary = identifyModel(pooledCheckpoint());
  EXPECT_EQ(summary.family, "soft");
  EXPECT_EQ(summary.variant, "soft_pooled_nano");
  EXPECT_EQ(summary.mechanism, "soft");
  EXPECT_EQ(summary.mechanismNote(), "pooled landmarks");
  EXPECT_EQ(summary.confidence(), 1);
  EXPECT_FALSE(summary.counterfactual);
  EXPECT_THAT(summary.heads, ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

TEST(PooledSoft, OtherLandmarksAreNotWhatWasTrained) {
  const auto noteOf = [](const LandmarkChoice& landmarks, const std::string& attention = "soft") {
    ModelRequest request;
    request.landmarks = landmarks;
    request.attention = attention;
    return identifyModel(pooledCheckpoint(), request).mechanismNote();
  };
  EXPECT_EQ(noteOf({LandmarkSource::Pooled}), "pooled landmarks");
  EXPECT_EQ(noteOf({LandmarkSource::Pooled, 9}), "9 pooled landmarks, not what was trained");
  EXPECT_EQ(noteOf({LandmarkSource::First}), "first landmarks, not what was trained");
  EXPECT_EQ(noteOf({LandmarkSource::Random, {}, 2}),
            "random landmarks, seed 2, not what was trained");
  EXPECT_EQ(noteOf({}, "soft++"), "pooled landmarks, not what was trained");
  EXPECT_EQ(noteOf({}, "gaussian"), "not what was trained");
}

TEST(PooledSoft, OpensFromAFileAndPoolsAsItsMetadataSay) {
  const TemporaryFolder folder;
  Checkpoint checkpoint = pooledCheckpoint();
  checkpoint.metadata["ratios"] = "4,4,2";
  ModelRequest request;
  request.path = folder.file("pooled.safetensors");
  writeSafetensors(request.path, checkpoint.state, checkpoint.metadata);
  torch::manual_seed(7);
  const torch::Tensor picture = torch::randn({3, 64, 96});
  const InputTensor input{64, 96, {picture.data_ptr<float>(), picture.data_ptr<float>() + 18432}};
  const auto trained = inspect(*openModel(request), input, {}, {.precise = true});
  const LayerInspection& layer = trained->layers.front();
  // 16 x 24 tokens in windows of 4 x 4.
  EXPECT_EQ(layer.attention->description().landmarkGrid, (TokenGrid{4, 6}));
  ASSERT_EQ(layer.bottleneck.size(), 1u);
  ASSERT_EQ(layer.precise.size(), 1u);
  EXPECT_LT((layer.precise[0].kernel - layer.bottleneck[0].cast<double>()).cwiseAbs().maxCoeff(),
            1e-5);
  request.landmarks = {LandmarkSource::Pooled};
  const auto chosen = inspect(*openModel(request), input);
  ASSERT_EQ(trained->logits.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(trained->logits[i], chosen->logits[i], 1e-4);
  }
}

TEST(PooledSoft, WithoutRatiosTheyAreAssumedAndThatIsSaid) {
  Checkpoint checkpoint = pooledCheckpoint();
  checkpoint.metadata.erase("ratios");
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_LT(summary.confidence(), 0.9);
  EXPECT_THAT(summary.reason, HasSubstr("--set ratios=A,B,C"));
}

TEST(PooledSoft, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  const Checkpoint whole = pooledCheckpoint();
  for (const auto& entry : whole.state.entries()) {
    if (entry.name.find("num_batches_tracked") != std::string::npos) continue;
    SCOPED_TRACE(entry.name);
    const ModelSummary summary = identifyModel(without(whole, entry.name));
    EXPECT_EQ(summary.variant, "soft_pooled_nano");
    EXPECT_THAT(summary.missing, ElementsAre(entry.name));
  }
}

TEST(PooledSoft, ParametersOfOtherLandmarksAreForeignToIt) {
  Checkpoint checkpoint = pooledCheckpoint();
  const std::string landmarks = "block1.0.att.mha.attn.Qlandmark_op.weight";
  checkpoint.state.insert(landmarks, torch::zeros({32, 32, 8, 8}));
  EXPECT_THAT(identifyModel(checkpoint).foreign, ElementsAre(landmarks));
}

TEST(PooledSoft, WithoutItsWordsAFileHasLostItsLandmarks) {
  Checkpoint checkpoint = pooledCheckpoint();
  checkpoint.metadata.clear();
  EXPECT_THAT(identifyModel(checkpoint).missing,
              ::testing::Contains("block1.0.att.mha.attn.Qlandmark_op.weight"));
  ModelRequest request;
  request.architecture = "soft_pooled_nano";
  EXPECT_THAT(identifyModel(checkpoint, request).missing, IsEmpty());
}

}  // namespace
}  // namespace softscope
