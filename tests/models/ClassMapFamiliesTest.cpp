#include "core/Error.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/array/Npz.h"
#include "core/attention/Mechanism.h"
#include "core/inspect/LayerMap.h"
#include "core/network/AttentionGradient.h"
#include "core/network/ClassMapPass.h"
#include "core/network/Inspector.h"
#include "core/network/Measurements.h"
#include "core/network/Network.h"
#include "core/network/NetworkModule.h"
#include "tests/models/Golden.h"
#include "tests/models/UnpackedArchive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// Adds D V to A V in every layer, for a matrix D [heads, queries, keys] of zeros: the gradient
/// with respect to D is that with respect to A, entry by entry, whatever A was computed from.
class DenseRecorder final : public Recorder, public TermObserver {
 public:
  struct Layer {
    AttentionRecord record;
    torch::Tensor added;
    torch::Tensor attended;
    torch::Tensor tokens;
    TokenGrid grid;
  };

  TermObserver* terms() override { return this; }
  std::vector<int> silencedHeads(const std::string&) const override { return {}; }
  void record(AttentionRecord record) override {
    layers.push_back({std::move(record), {}, {}, {}, {}});
  }
  void recordTokens(const TokenRecord& record) override {
    layers.back().tokens = record.all;
    layers.back().grid = record.grid;
  }
  torch::Tensor passOn(const std::string&, const torch::Tensor& attended) override {
    Layer& layer = layers.back();
    layer.attended = attended[0].detach();
    if (!layer.record.value.defined()) return attended;
    layer.added = at::zeros({attended.size(1), attended.size(2), layer.record.value.size(1)},
                            attended.options())
                      .requires_grad_();
    if (push && layers.size() - 1 == pushed) layer.added = push->to(attended.options());
    return attended + at::matmul(layer.added, layer.record.value).unsqueeze(0);
  }
  void recordTerms(TermRecord) override {}
  void recordAddition(AdditionRecord) override {}

  std::vector<Layer> layers;
  /// What is added in layer `pushed` instead of zeros.
  std::optional<torch::Tensor> push;
  std::size_t pushed = 0;
};

const test::UnpackedArchive& stateSpaces() {
  static const test::UnpackedArchive archive("linear.zip");
  return archive;
}

/// Returns the folder of a golden network, which may be one of linear.zip.
std::string classifiedFolder(const std::string& name) {
  return stateSpaces().cases().contains(name) ? stateSpaces().folder(name) : name;
}

/// A golden network in float64.
class PreciseGolden {
 public:
  explicit PreciseGolden(const std::string& folder, ModelRequest request = {})
      : golden(classifiedFolder(folder), std::move(request)) {
    dynamic_cast<NetworkModule&>(golden.model->network()).to(torch::kFloat64);
    const InputTensor input = golden.input();
    picture =
        torch::from_blob(const_cast<float*>(input.values.data()), {1, 3, input.height, input.width})
            .to(network().device(), torch::kFloat64);
  }
  Network& network() const { return golden.model->network(); }

  Golden golden;
  torch::Tensor picture;
};

double largest(const torch::Tensor& x) {
  return x.abs().max().item<double>();
}

torch::Tensor tensorOf(const Eigen::VectorXd& x) {
  return torch::from_blob(const_cast<double*>(x.data()), {x.size()}, torch::kFloat64).clone();
}

torch::Tensor tensorOf(const Vector& x) {
  return tensorOf(Eigen::VectorXd(x.cast<double>()));
}

/// Returns the largest difference, relative to the largest of `expected`.
double relative(const torch::Tensor& actual, const torch::Tensor& expected) {
  if (actual.sizes() != expected.sizes()) return std::numeric_limits<double>::infinity();
  return largest(actual.cpu() - expected.cpu()) / std::max(largest(expected), 1e-300);
}

torch::Tensor entriesOf(const torch::Tensor& x, AttentionEntries entries) {
  if (entries == AttentionEntries::Positive) return x.relu();
  return entries == AttentionEntries::Magnitude ? x.abs() : x;
}

constexpr AttentionEntries everyKind[] = {AttentionEntries::Positive, AttentionEntries::Magnitude,
                                          AttentionEntries::Signed};

torch::Tensor allRows(const AttentionRecord& record, std::int64_t queries) {
  const auto options = torch::dtype(torch::kLong).device(record.value.device());
  return attentionRows(record, torch::arange(queries, options)).detach();
}

class ClassMapFamiliesTest : public ::testing::TestWithParam<const char*> {};

// The whole of A and of its gradient, as automatic differentiation of the whole matrix gives them.
TEST_P(ClassMapFamiliesTest, EntriesAreThoseOfTheDenseGradient) {
  const PreciseGolden precise(GetParam());
  constexpr int classIndex = 3;
  const Progress progress;
  ClassMapPass pass(precise.network(), precise.picture, progress);
  pass.differentiate(classIndex);
  DenseRecorder dense;
  const torch::Tensor logits =
      precise.network().forward(precise.picture.clone().requires_grad_(), &dense);
  ASSERT_LT(relative(pass.logits(), logits[0].detach()), 1e-12);
  ASSERT_EQ(pass.layers().size(), dense.layers.size());
  torch::manual_seed(1);
  int compared = 0;
  for (std::size_t i = 0; i < dense.layers.size(); ++i) {
    const DenseRecorder::Layer& layer = dense.layers[i];
    SCOPED_TRACE(layer.record.layer);
    if (traitsOf(layer.record.description.mechanism).overChannels) continue;
    ASSERT_TRUE(layer.record.value.defined());
    const torch::Tensor gradient =
        torch::autograd::grad({logits[0][classIndex]}, {layer.added}, {}, true, false, true)[0];
    const torch::Tensor& ours = pass.layerGradients()[i];
    ASSERT_EQ(gradient.defined(), ours.defined());
    if (!gradient.defined()) continue;
    const torch::Tensor attention = allRows(layer.record, gradient.size(1));
    // A V is what the layer computed.
    EXPECT_LT(relative(at::matmul(attention, layer.record.value.detach()), layer.attended), 1e-9);
    const AttentionRecord& record = pass.layers()[i].record;
    const torch::Tensor weights = torch::randn({gradient.size(1)}, torch::kFloat64);
    const Eigen::VectorXd w =
        Eigen::Map<const Eigen::VectorXd>(weights.data_ptr<double>(), weights.numel());
    for (const AttentionEntries kind : everyKind) {
      const torch::Tensor products = entriesOf(attention * gradient, kind);
      const torch::Tensor weighted = at::matmul(weights.to(products.options()), products.mean(0));
      EXPECT_LT(relative(tensorOf(weightedEntries(record, ours, w, kind)), weighted), 1e-6);
      const torch::Tensor mean = entriesOf(gradient, kind).mean(0).mean(0);
      EXPECT_LT(relative(tensorOf(meanGradientEntries(record, ours, kind)), mean), 1e-6);
    }
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

// As the program computes it, in float32, for a class and for the difference of two.
TEST_P(ClassMapFamiliesTest, InspectionsHoldTheProductOfAttentionAndGradient) {
  const PreciseGolden precise(GetParam());
  const Golden single(classifiedFolder(GetParam()));
  for (const std::optional<int> against : {std::optional<int>(), std::optional<int>(1)}) {
    DenseRecorder dense;
    const torch::Tensor logits =
        precise.network().forward(precise.picture.clone().requires_grad_(), &dense)[0];
    const torch::Tensor y = against ? logits[3] - logits[*against] : logits[3];
    const auto inspection = inspect(*single.model, single.input(), {},
                                    {.logit = LogitRequest{.classIndex = 3, .against = against}});
    int compared = 0;
    for (const DenseRecorder::Layer& layer : dense.layers) {
      SCOPED_TRACE(layer.record.layer);
      const LayerInspection& ours = *inspection->find(layer.record.layer);
      EXPECT_NE(hasMap(ours, ShownMap::GradientProduct), !ours.gradientObstacle.empty());
      if (!layer.added.defined()) {
        EXPECT_FALSE(ours.gradientProduct);
        continue;
      }
      const torch::Tensor gradient =
          torch::autograd::grad({y}, {layer.added}, {}, true, false, true)[0];
      ASSERT_EQ(gradient.defined(), ours.gradientProduct != nullptr) << ours.gradientObstacle;
      if (!gradient.defined()) continue;
      const torch::Tensor product = allRows(layer.record, gradient.size(1)) * gradient;
      for (int head = 0; head < static_cast<int>(product.size(0)); ++head) {
        const Eigen::MatrixXd whole = mapOf(ours, ShownMap::GradientProduct)
                                          ->whole(head, std::size_t{1} << 30)
                                          .cast<double>()
                                          .transpose();
        const torch::Tensor rows = torch::from_blob(
            const_cast<double*>(whole.data()), {product.size(1), product.size(2)}, torch::kFloat64);
        EXPECT_LT(largest(rows - product[head].cpu()), 1e-4 * largest(product));
      }
      ++compared;
    }
    EXPECT_GT(compared, 0);
  }
}

// The graph of a network's forward pass is that of what it computes.
TEST_P(ClassMapFamiliesTest, GradientsAreThoseOfFiniteDifferences) {
  const PreciseGolden precise(GetParam());
  constexpr int classIndex = 3;
  const torch::Tensor picture = precise.picture.clone().requires_grad_();
  DenseRecorder dense;
  const torch::Tensor logit = precise.network().forward(picture, &dense)[0][classIndex];
  torch::manual_seed(2);
  const auto logitAt = [&](const torch::Tensor& at, DenseRecorder* recorder) {
    const torch::NoGradGuard noGradient;
    return precise.network().forward(at, recorder)[0][classIndex].item<double>();
  };
  // Small, because activations have kinks.
  constexpr double step = 1e-7;
  const torch::Tensor direction = torch::randn_like(precise.picture);
  const torch::Tensor ofPicture =
      torch::autograd::grad({logit}, {picture}, {}, true, false, true)[0];
  const double expected = (logitAt(precise.picture + step * direction, nullptr) -
                           logitAt(precise.picture - step * direction, nullptr)) /
                          (2 * step);
  const double scale = (ofPicture * direction).norm().item<double>();
  EXPECT_NEAR((ofPicture * direction).sum().item<double>(), expected, 1e-3 * scale);
  int compared = 0;
  for (std::size_t i = 0; i < dense.layers.size(); ++i) {
    if (!dense.layers[i].added.defined()) continue;
    SCOPED_TRACE(dense.layers[i].record.layer);
    const torch::Tensor gradient =
        torch::autograd::grad({logit}, {dense.layers[i].added}, {}, true, false, true)[0];
    if (!gradient.defined()) continue;
    const torch::Tensor push = torch::randn_like(gradient);
    const auto pushed = [&](double size) {
      DenseRecorder recorder;
      recorder.push = size * push;
      recorder.pushed = i;
      return logitAt(precise.picture, &recorder);
    };
    EXPECT_NEAR((gradient * push).sum().item<double>(), (pushed(step) - pushed(-step)) / (2 * step),
                1e-3 * (gradient * push).norm().item<double>());
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, ClassMapFamiliesTest,
                         ::testing::Values("deit", "soft", "soft_norm", "sima", "xcit", "deit_sima",
                                           "inline_deit", "agent_deit", "slab_deit", "flatten_pvt",
                                           "pola_pvt", "mlla", "rala", "efficientvit_b", "cvt",
                                           "t2t_performer", "t2t_nystromformer", "vssd"),
                         [](const auto& of) { return std::string(of.param); });

/// r^T R of the definition, with whole matrices: a class token's row of Π (I + E).
torch::Tensor denseRollout(DenseRecorder& dense, const torch::Tensor& logit) {
  torch::Tensor row;
  for (std::size_t i = dense.layers.size(); i > 0; --i) {
    const DenseRecorder::Layer& layer = dense.layers[i - 1];
    const torch::Tensor gradient =
        torch::autograd::grad({logit}, {layer.added}, {}, true, false, true)[0];
    const torch::Tensor product =
        (allRows(layer.record, gradient.size(1)) * gradient).relu().mean(0);
    if (!row.defined()) row = at::eye(product.size(1), product.options())[0];
    // Layers before those of a class token know nothing of it.
    row = row.slice(0, row.size(0) - product.size(1));
    // Where the class token alone asks, the other rows of E are zero.
    row = row + at::matmul(row.slice(0, 0, product.size(0)), product);
  }
  return row;
}

class ClassTokenRolloutTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ClassTokenRolloutTest, IsARowOfTheProductOfWholeMatrices) {
  const PreciseGolden precise(GetParam());
  const Progress progress;
  for (const int classIndex : {0, 5}) {
    ClassMapPass pass(precise.network(), precise.picture, progress);
    pass.differentiate(classIndex);
    DenseRecorder dense;
    const torch::Tensor logits =
        precise.network().forward(precise.picture.clone().requires_grad_(), &dense);
    const ClassMap map = pass.gradientRollout(AttentionEntries::Positive);
    const torch::Tensor expected = denseRollout(dense, logits[0][classIndex]);
    const torch::Tensor patches = expected.slice(0, expected.size(0) - map.grid.count());
    EXPECT_LT(relative(tensorOf(map.patches), patches), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ClassTokenRolloutTest,
                         ::testing::Values("deit", "sima", "deit_sima", "inline_deit",
                                           "agent_deit"),
                         [](const auto& of) { return std::string(of.param); });

// tests/data/golden/make_class_relevance.py ran the authors' code on the same weights.
TEST(ClassMap, RolloutIsThatOfTheAuthorsCode) {
  const PreciseGolden precise("deit");
  const Golden single("deit");
  const Progress progress;
  ClassMapPass pass(precise.network(), precise.picture, progress);
  int compared = 0;
  for (const auto& [name, array] : readNpz(precise.golden.path("class_relevance.npz"))) {
    if (name == "predicted") {
      EXPECT_EQ(pass.logits().argmax().item<double>(), array.values[0]);
      continue;
    }
    SCOPED_TRACE(name);
    const int classIndex = std::stoi(name.substr(name.find('_') + 1));
    pass.differentiate(classIndex);
    const ClassMap map = pass.gradientRollout(AttentionEntries::Positive);
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{map.grid.height, map.grid.width}));
    EXPECT_LT(difference({map.patches.begin(), map.patches.end()}, array), 1e-6);
    // And in float32, as the program runs it.
    const ClassMaps fast =
        measureClassMaps(*single.model, single.input(),
                         {.classIndex = classIndex, .methods = {ClassMethod::GradientRollout}});
    EXPECT_LT(difference({fast.maps[0].patches.begin(), fast.maps[0].patches.end()}, array), 1e-4);
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

class GradientRolloutTest : public ::testing::TestWithParam<const char*> {};

// As Rollout shows it, in float32.
TEST_P(GradientRolloutTest, FromTheClassTokenIsThatOfTheClassMap) {
  const Golden single(classifiedFolder(GetParam()));
  constexpr int classIndex = 5;
  const auto inspection =
      inspect(*single.model, single.input(), {}, {.logit = LogitRequest{.classIndex = classIndex}});
  const AnalysedLayer last{"model", "", inspection, inspection->layers.size() - 1, {0, 0, 1, 1}};
  const Rollout rollout = rollOutGradients(last, 0);
  const ClassMaps maps =
      measureClassMaps(*single.model, single.input(),
                       {.classIndex = classIndex, .methods = {ClassMethod::GradientRollout}});
  EXPECT_EQ(rollout.grid, maps.maps[0].grid);
  EXPECT_LT(relative(tensorOf(rollout.patches), tensorOf(maps.maps[0].patches)), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Families, GradientRolloutTest,
                         ::testing::Values("deit", "sima", "deit_sima", "inline_deit", "agent_deit",
                                           "soft", "soft_norm"),
                         [](const auto& of) { return std::string(of.param); });

class PooledRolloutTest : public ::testing::TestWithParam<const char*> {};

// The answer of these is read from the mean of all patches.
TEST_P(PooledRolloutTest, IsTheMeanOfThoseOfAttentionTimesGradientFromEveryPatch) {
  const Golden single(classifiedFolder(GetParam()));
  constexpr int classIndex = 2;
  const auto inspection =
      inspect(*single.model, single.input(), {}, {.logit = LogitRequest{.classIndex = classIndex}});
  const AnalysedLayer last{"model", "", inspection, inspection->layers.size() - 1, {0, 0, 1, 1}};
  const ClassMap map =
      measureClassMaps(*single.model, single.input(),
                       {.classIndex = classIndex, .methods = {ClassMethod::GradientRollout}})
          .maps[0];
  const int patches = last.attention().queries;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(map.patches.size());
  for (int patch = 0; patch < patches; ++patch) {
    mean += rollOutGradients(last, patch).patches.cast<double>() / patches;
  }
  EXPECT_LT(relative(tensorOf(mean), tensorOf(map.patches)), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Families, PooledRolloutTest,
                         ::testing::Values("pola_pvt", "flatten_pvt", "mlla", "vssd"),
                         [](const auto& of) { return std::string(of.param); });

class EarlyAnswerTest : public ::testing::TestWithParam<const char*> {};

TEST_P(EarlyAnswerTest, LeGradIsTheMeanOverLayersOfTheDenseGradients) {
  const PreciseGolden precise(GetParam());
  constexpr int classIndex = 2;
  const Progress progress;
  ClassMapPass pass(precise.network(), precise.picture, progress);
  pass.differentiate(classIndex);
  DenseRecorder dense;
  const torch::Tensor logits =
      precise.network().forward(precise.picture.clone().requires_grad_(), &dense);
  auto& early = dynamic_cast<EarlyAnswerNetwork&>(precise.network());
  // The last block's early answer is the answer.
  const DenseRecorder::Layer& last = dense.layers.back();
  EXPECT_LT(relative(early.answerEarly(last.tokens, last.grid), logits), 1e-12);
  for (const AttentionEntries kind : everyKind) {
    torch::Tensor sum;
    for (const DenseRecorder::Layer& layer : dense.layers) {
      const torch::Tensor answer = early.answerEarly(layer.tokens, layer.grid)[0][classIndex];
      const torch::Tensor gradient =
          torch::autograd::grad({answer}, {layer.added}, {}, true, false, true)[0];
      const torch::Tensor keys = entriesOf(gradient, kind).mean(0).mean(0);
      sum = sum.defined() ? sum + keys : keys;
    }
    const torch::Tensor patches = (sum / static_cast<double>(dense.layers.size())).slice(0, 1);
    EXPECT_LT(relative(tensorOf(pass.leGrad(kind).patches), patches), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EarlyAnswerTest,
                         ::testing::Values("deit", "deit_sima", "inline_deit", "agent_deit"),
                         [](const auto& of) { return std::string(of.param); });

// Behind its first block, this network's patches reach the answer through the second one's norm
// alone, which is the same for tokens of any length.
TEST(ClassMap, TokensBeforeANormHaveNoProductWithTheirGradient) {
  const PreciseGolden precise("deit");
  const Progress progress;
  ClassMapPass pass(precise.network(), precise.picture, progress);
  pass.differentiate(1);
  for (const std::string layer : {"", "blocks.0.attn"}) {
    try {
      pass.gradientTokens(layer);
      ADD_FAILURE() << "there is a map of zeros";
    } catch (const InspectionError& error) {
      EXPECT_NE(std::string(error.what()).find("layer norm"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(pass.gradCam("").patches.maxCoeff(), 0);
}

ClassMap classMapOf(const Golden& golden, ClassMethod method) {
  return measureClassMaps(*golden.model, golden.input(),
                          {.classIndex = 3, .methods = {method}, .points = 2})
      .maps.at(0);
}

ClassMap classMapOf(const std::string& name, ClassMethod method) {
  return classMapOf(Golden(classifiedFolder(name)), method);
}

TEST(ClassMap, RolloutFollowsEveryLayerOrSaysWhichItCannot) {
  const ClassMap followed = classMapOf("vssd", ClassMethod::GradientRollout);
  EXPECT_EQ(followed.obstacle, "");
  EXPECT_EQ(followed.note, "5 layers");
  for (const char* name : {"vim", "vmamba", "vmamba_v0", "vrwkv"}) {
    EXPECT_THAT(classMapOf(name, ClassMethod::GradientRollout).obstacle,
                ::testing::HasSubstr("what its attention makes of V is not known"))
        << name;
  }
  for (const char* name : {"circulant_deit", "mhla_deit"}) {
    EXPECT_THAT(classMapOf(name, ClassMethod::GradientRollout).obstacle,
                ::testing::HasSubstr("does not record the values"))
        << name;
  }
}

TEST(ClassMap, IntegratedGradientsAreThoseOfTheFirstLayersPatches) {
  int compared = 0;
  for (const std::string& name : stateSpaces().cases()) {
    // LRA's networks look pixels up in a table, which has no gradient.
    if (name.starts_with("lra")) continue;
    const Golden golden(stateSpaces().folder(name));
    const ClassMap map = classMapOf(golden, ClassMethod::IntegratedGradients);
    EXPECT_EQ(map.grid, golden.inspection->layers[0].attention->description().queryGrid) << name;
    ++compared;
  }
  EXPECT_GE(compared, 5);
}

// The network puts zeros around its input, on which the outermost tokens lie.
TEST(ClassMap, IntegratedGradientsOfABorderOfZerosAreZero) {
  const ClassMap map = classMapOf("mhla_deit", ClassMethod::IntegratedGradients);
  ASSERT_EQ(map.grid, (TokenGrid{16, 16}));
  for (int row = 0; row < map.grid.height; ++row) {
    for (int column = 0; column < map.grid.width; ++column) {
      const bool isInside = std::min(row, column) > 0 && std::max(row, column) < 15;
      EXPECT_EQ(map.patches[row * map.grid.width + column] != 0, isInside) << row << ", " << column;
    }
  }
}

}  // namespace
}  // namespace softscope
