#include "core/Error.h"
#include "core/analysis/Share.h"
#include "core/network/Measurements.h"
#include "core/network/NetworkModule.h"
#include "core/network/NetworkRun.h"
#include "models/Trainable.h"
#include "tests/models/Golden.h"
#include "tests/models/pyramid/SmallPyramid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace softscope {
namespace {

constexpr std::int64_t classes = 10;

/// A model of the tests, and a picture for it.
struct Subject {
  std::shared_ptr<const Model> model;
  InputTensor input;
};

InputTensor randomInput(int height, int width) {
  const torch::Tensor values = at::randn({3, height, width});
  return {height, width, {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()}};
}

Subject opened(std::shared_ptr<NetworkModule> network, InputTensor input) {
  network->eval();
  return {std::make_shared<Model>(ModelSummary{}, std::move(network)), std::move(input)};
}

NetworkModule& networkOf(const Model& model) {
  return dynamic_cast<NetworkModule&>(model.network());
}

/// `golden:FOLDER:MECHANISM`, `pyramid:MECHANISM` or `fresh:ARCHITECTURE`.
Subject subjectOf(const std::string& name) {
  const std::string kind = name.substr(0, name.find(':'));
  const std::string rest = name.substr(kind.size() + 1);
  at::manual_seed(5);
  if (kind == "pyramid") {
    return opened(freshNetwork(smallPyramid(rest), classes, 5), randomInput(61, 90));
  }
  if (kind == "fresh") {
    const auto network = freshNetwork(findTrainable(rest), classes, 5);
    const torch::NoGradGuard noGradient;
    for (const auto& parameter : network->named_parameters()) {
      // Non-local blocks begin as the identity.
      if (parameter.key().ends_with(".W.1.weight")) parameter.value().normal_(0.02, 0.01);
    }
    for (const auto& buffer : network->named_buffers()) {
      if (buffer.key().ends_with(".W.1.running_var")) buffer.value().uniform_(0.5, 2);
    }
    return opened(network, randomInput(24, 40));
  }
  const std::size_t colon = rest.find(':');
  const Golden golden(rest.substr(0, colon), {.attention = rest.substr(colon + 1)});
  return {golden.model, golden.input()};
}

/// The output projection's weight under a layer's published name.
torch::Tensor projectionOf(NetworkModule& network, const std::string& layer) {
  const auto parameters = network.named_parameters();
  const std::string parent = layer.substr(0, layer.rfind('.'));
  for (const std::string& name :
       {layer + ".proj.weight", parent + ".ff.weight", layer + ".W.0.weight", layer + ".W.weight",
        layer + ".proj.conv.weight"}) {
    if (const torch::Tensor* weight = parameters.find(name)) return *weight;
  }
  ADD_FAILURE() << "no projection of " << layer;
  return {};
}

/// Sets a head's columns of a projection to zero, and back again when it goes.
class DeafProjection {
 public:
  DeafProjection(torch::Tensor weight, std::int64_t head, std::int64_t heads)
      : weight_(std::move(weight)), before_(weight_.detach().clone()) {
    const torch::NoGradGuard noGradient;
    const std::int64_t width = weight_.size(1) / heads;
    weight_.slice(1, head * width, (head + 1) * width).zero_();
  }
  ~DeafProjection() {
    const torch::NoGradGuard noGradient;
    weight_.copy_(before_);
  }

 private:
  torch::Tensor weight_;
  torch::Tensor before_;
};

class ShareTest : public ::testing::TestWithParam<std::string> {
 protected:
  Subject subject_ = subjectOf(GetParam());
  NetworkModule& network_ = networkOf(*subject_.model);
};

// Nothing stands beside the attention in these families, so that a head whose columns of the output
// projection are zero is as silent.
TEST_P(ShareTest, AKnockoutEqualsANetworkThatDoesNotHearTheHead) {
  const auto share = measureShare(*subject_.model, subject_.input);
  ASSERT_EQ(share->logits, runNetwork(*subject_.model, subject_.input, nullptr));
  for (const LayerShare& layer : share->layers) {
    const torch::Tensor weight = projectionOf(network_, layer.layer);
    const auto heads = static_cast<std::int64_t>(layer.heads.size());
    for (std::int64_t head = 0; head < heads; ++head) {
      SCOPED_TRACE(layer.layer + ", head " + std::to_string(head));
      const DeafProjection deaf(weight, head, heads);
      const auto logits = runNetwork(*subject_.model, subject_.input, nullptr);
      const Knockout expected = compareLogits(share->logits, logits);
      const Knockout& actual = *layer.heads[static_cast<std::size_t>(head)].knockout;
      EXPECT_GT(actual.logitChange, 0);
      EXPECT_NEAR(actual.logitChange, expected.logitChange, 1e-6 * expected.logitChange);
      EXPECT_EQ(actual.predictedClass, expected.predictedClass);
    }
    const torch::NoGradGuard noGradient;
    const torch::Tensor before = weight.detach().clone();
    weight.detach().zero_();
    const auto logits = runNetwork(*subject_.model, subject_.input, nullptr);
    weight.detach().copy_(before);
    const Knockout expected = compareLogits(share->logits, logits);
    EXPECT_NEAR(layer.whole.knockout->logitChange, expected.logitChange,
                1e-6 * expected.logitChange)
        << layer.layer;
    EXPECT_FALSE(layer.whole.besideNorm);
  }
}

/// Keeps everything that layers say of their terms.
class KeptTerms final : public Recorder, public TermObserver {
 public:
  TermObserver* terms() override { return this; }
  std::vector<int> silencedHeads(const std::string&) const override { return {}; }
  void record(AttentionRecord record) override { layers.push_back(record.layer); }
  void recordTerms(TermRecord record) override { all.push_back(std::move(record)); }
  void recordAddition(AdditionRecord record) override { additions.push_back(std::move(record)); }

  std::vector<std::string> layers;
  std::vector<TermRecord> all;
  std::vector<AdditionRecord> additions;
};

/// Expects the terms, through the weight and the scale, to be the output but for a bias.
void expectSum(const TermRecord& terms, const AdditionRecord& addition) {
  torch::Tensor sum = terms.attention;
  if (terms.beside.defined()) sum = sum + terms.beside;
  torch::Tensor projected =
      at::matmul(sum.transpose(0, 1).flatten(1), terms.weight.transpose(0, 1));
  if (addition.scale.defined()) projected = projected * addition.scale;
  torch::Tensor output = addition.output;
  if (output.dim() == 3) output = output.flatten(1).transpose(0, 1);
  EXPECT_EQ(addition.residual.sizes(), addition.output.sizes());
  ASSERT_EQ(output.sizes(), projected.sizes());
  const torch::Tensor bias = (output - projected).detach();
  EXPECT_GT(projected.abs().max().item<double>(), 0);
  EXPECT_LT((bias - bias.mean(0, true)).abs().max().item<double>(),
            2e-5 * output.abs().max().item<double>());
}

void expectTermsOf(const Subject& subject) {
  KeptTerms kept;
  runNetwork(*subject.model, subject.input, &kept);
  ASSERT_EQ(kept.all.size(), kept.layers.size());
  ASSERT_EQ(kept.additions.size(), kept.layers.size());
  const auto share = measureShare(*subject.model, subject.input, {.knockouts = false});
  ASSERT_EQ(share->layers.size(), kept.layers.size());
  const c10::InferenceMode inference;
  for (std::size_t i = 0; i < kept.layers.size(); ++i) {
    SCOPED_TRACE(kept.layers[i]);
    EXPECT_EQ(kept.all[i].layer, kept.layers[i]);
    EXPECT_EQ(kept.additions[i].layer, kept.layers[i]);
    EXPECT_EQ(share->layers[i].layer, kept.layers[i]);
    expectSum(kept.all[i], kept.additions[i]);
    EXPECT_NEAR(share->layers[i].residualNorm,
                kept.additions[i].residual.to(torch::kFloat64).square().sum().sqrt().item<double>(),
                1e-9 * share->layers[i].residualNorm);
  }
}

TEST_P(ShareTest, TermsAddUpToWhatTheLayerAdds) {
  expectTermsOf(subject_);
}

INSTANTIATE_TEST_SUITE_P(
    Families, ShareTest,
    ::testing::Values("golden:deit:softmax", "golden:deit_sima:sima", "golden:sima:sima",
                      "golden:sima_192:sima", "golden:xcit:xca_channel", "golden:cvt:softmax",
                      "golden:cvt:sima", "golden:efficientvit_b:litemla",
                      "golden:efficientvit_b_timm:litemla", "golden:efficientvit_l:litemla",
                      "golden:t2t_performer:performer", "golden:t2t_transformer:softmax",
                      "golden:t2t_nystromformer:nystromformer", "pyramid:softmax",
                      "pyramid:linformer", "pyramid:performer", "pyramid:nystromformer",
                      "pyramid:sima", "pyramid:elu", "pyramid:efficient", "pyramid:cosformer",
                      "fresh:preresnet20_nl", "fresh:preresnet20_nl_scaled"),
    [](const auto& test) {
      std::string name = test.param;
      std::replace(name.begin(), name.end(), ':', '_');
      return name;
    });

/// A family that gates its heads: where its queries' biases stand below a layer, and how many such
/// parts the biases have.
struct GatedFamily {
  const char* subject;
  const char* bias;
  std::int64_t parts;

  friend void PrintTo(const GatedFamily& family, std::ostream* stream) {
    *stream << family.subject;
  }
};

class GatedShareTest : public ::testing::TestWithParam<GatedFamily> {
 protected:
  Subject subject_ = subjectOf(GetParam().subject);

  /// The logits with queries of some heads so far below zero that elu(q) + 1 is zero there: the
  /// attention term is, and the convolution of V beside it is as it was.
  Knockout withoutFeatures(const std::vector<float>& logits, const std::string& layer,
                           const std::vector<std::int64_t>& heads, std::int64_t of) {
    const torch::NoGradGuard noGradient;
    const auto parameters = networkOf(*subject_.model).named_parameters();
    torch::Tensor bias = parameters[layer + GetParam().bias].detach();
    const torch::Tensor before = bias.clone();
    const std::int64_t width = bias.size(0) / GetParam().parts / of;
    for (const std::int64_t head : heads) bias.slice(0, head * width, (head + 1) * width).sub_(1e3);
    const auto changed = runNetwork(*subject_.model, subject_.input, nullptr);
    bias.copy_(before);
    return compareLogits(logits, changed);
  }
};

TEST_P(GatedShareTest, TermsThroughTheGateAddUpToWhatTheLayerAdds) {
  expectTermsOf(subject_);
}

TEST_P(GatedShareTest, AKnockoutLeavesWhatStandsBesideAlone) {
  const auto share = measureShare(*subject_.model, subject_.input);
  ASSERT_NE(share->layers.front().mechanism, "softmax");
  ASSERT_EQ(share->logits, runNetwork(*subject_.model, subject_.input, nullptr));
  for (const LayerShare& layer : share->layers) {
    SCOPED_TRACE(layer.layer);
    EXPECT_GT(layer.whole.besideNorm.value(), 0);
    if (layer.mechanism == "softmax") continue;
    const auto count = static_cast<std::int64_t>(layer.heads.size());
    std::vector<std::int64_t> all(layer.heads.size());
    std::iota(all.begin(), all.end(), 0);
    const Knockout whole = withoutFeatures(share->logits, layer.layer, all, count);
    EXPECT_GT(whole.logitChange, 0);
    EXPECT_NEAR(layer.whole.knockout->logitChange, whole.logitChange, 1e-5 * whole.logitChange);
    for (const std::int64_t head : all) {
      const Knockout single = withoutFeatures(share->logits, layer.layer, {head}, count);
      EXPECT_NEAR(layer.heads[static_cast<std::size_t>(head)].knockout->logitChange,
                  single.logitChange, 1e-5 * single.logitChange);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gated, GatedShareTest,
                         ::testing::Values(GatedFamily{"golden:mlla:mlla", ".qk.bias", 2},
                                           GatedFamily{"golden:rala:rala", ".qkvo.bias", 4}));

class SoftShareTest : public ::testing::TestWithParam<std::string> {
 protected:
  Subject subject_ = subjectOf("golden:" + GetParam() + ":" + GetParam());
  NetworkModule& network_ = networkOf(*subject_.model);

  /// The logits with queries of some heads so far from every landmark that P is exactly zero there:
  /// the attention term is, and the convolution of V beside it is as it was.
  Knockout withFarQueries(const std::vector<float>& logits, const std::string& layer,
                          const std::vector<std::int64_t>& heads, std::int64_t of) {
    const std::string parent = layer.substr(0, layer.rfind('.'));
    const torch::NoGradGuard noGradient;
    torch::Tensor bias = network_.named_parameters()[parent + ".W_q.bias"].detach();
    const torch::Tensor before = bias.clone();
    const std::int64_t width = bias.size(0) / of;
    for (const std::int64_t head : heads) bias.slice(0, head * width, (head + 1) * width).add_(1e3);
    const auto changed = runNetwork(*subject_.model, subject_.input, nullptr);
    bias.copy_(before);
    return compareLogits(logits, changed);
  }
};

TEST_P(SoftShareTest, TermsAddUpToWhatTheLayerAdds) {
  expectTermsOf(subject_);
}

TEST_P(SoftShareTest, AKnockoutLeavesTheConvolutionOfVAlone) {
  const auto share = measureShare(*subject_.model, subject_.input);
  ASSERT_NE(share->layers.front().mechanism, "softmax");
  for (const LayerShare& layer : share->layers) {
    if (layer.mechanism == "softmax") continue;
    SCOPED_TRACE(layer.layer);
    const auto count = static_cast<std::int64_t>(layer.heads.size());
    std::vector<std::int64_t> all(layer.heads.size());
    std::iota(all.begin(), all.end(), 0);
    const Knockout whole = withFarQueries(share->logits, layer.layer, all, count);
    EXPECT_GT(whole.logitChange, 0);
    EXPECT_NEAR(layer.whole.knockout->logitChange, whole.logitChange, 1e-5 * whole.logitChange);
    // SOFT++ takes the start of its iteration from all heads, so that one head changes the others.
    if (GetParam() == "soft_norm") continue;
    for (const std::int64_t head : all) {
      const Knockout single = withFarQueries(share->logits, layer.layer, {head}, count);
      EXPECT_NEAR(layer.heads[static_cast<std::size_t>(head)].knockout->logitChange,
                  single.logitChange, 1e-5 * single.logitChange);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Soft, SoftShareTest, ::testing::Values("soft", "soft_norm"));

/// Attention that a convolution of V with a filter for every channel stands beside.
class FilteredShareTest : public ::testing::TestWithParam<std::string> {
 protected:
  Golden golden_{GetParam()};
};

TEST_P(FilteredShareTest, TermsAddUpToWhatTheLayerAdds) {
  expectTermsOf({golden_.model, golden_.input()});
}

TEST_P(FilteredShareTest, EveryHeadHasAShareAndWhatStandsBesideIt) {
  const auto share = measureShare(*golden_.model, golden_.input());
  ASSERT_EQ(share->layers.size(), golden_.inspection->layers.size());
  for (std::size_t i = 0; i < share->layers.size(); ++i) {
    const LayerShare& layer = share->layers[i];
    const AttentionDescription& attention = golden_.inspection->layers[i].attention->description();
    SCOPED_TRACE(layer.layer);
    EXPECT_EQ(layer.heads.size(), static_cast<std::size_t>(attention.heads));
    for (const HeadShare& head : layer.heads) {
      EXPECT_GT(head.attentionNorm, 0);
      EXPECT_EQ(head.besideNorm.value_or(0) > 0, attention.filtersChannels);
      EXPECT_GT(head.knockout->logitChange, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, FilteredShareTest,
                         ::testing::Values("inline_deit", "agent_deit", "slab_deit", "flatten_pvt",
                                           "pola_pvt"));

TEST(Share, ABackboneWithoutAHeadHasSharesAlone) {
  const TrainableArchitecture architecture = smallPyramid("softmax");
  const Subject subject = opened(freshNetwork(architecture, 0, 5), randomInput(64, 64));
  const auto share = measureShare(*subject.model, subject.input);
  EXPECT_TRUE(share->logits.empty());
  EXPECT_FALSE(share->knockouts);
  EXPECT_FALSE(share->predictedClass());
  ASSERT_EQ(share->layers.size(), 4u);
  for (const LayerShare& layer : share->layers) {
    EXPECT_GT(layer.whole.attentionNorm, 0);
    EXPECT_FALSE(layer.whole.knockout);
    for (const HeadShare& head : layer.heads) EXPECT_FALSE(head.knockout);
  }
}

TEST(Share, ChosenLayersAloneAreMeasured) {
  const Subject subject = subjectOf("golden:deit:softmax");
  int passes = 0;
  const Progress progress([&](double, const std::string&) { ++passes; });
  const auto share =
      measureShare(*subject.model, subject.input, {.layers = {"blocks.1.attn"}}, progress);
  ASSERT_EQ(share->layers.size(), 1u);
  EXPECT_EQ(share->layers[0].layer, "blocks.1.attn");
  EXPECT_EQ(passes, 1 + 1 + 2) << "a look at all, the layer, and its two heads";
  EXPECT_THROW(measureShare(*subject.model, subject.input, {.layers = {"blocks.2.attn"}}),
               InspectionError);
}

TEST(Share, StopsWhenAsked) {
  const Subject subject = subjectOf("golden:deit:softmax");
  Progress* asked = nullptr;
  int reports = 0;
  Progress progress([&](double, const std::string&) {
    if (++reports == 3) asked->cancel();
  });
  asked = &progress;
  EXPECT_THROW(measureShare(*subject.model, subject.input, {}, progress), Cancelled);
  EXPECT_EQ(reports, 3);
}

}  // namespace
}  // namespace softscope
