#include "core/Error.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "models/Trainable.h"
#include "models/pyramid/PyramidConfiguration.h"
#include "tests/models/pyramid/SmallPyramid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::HasSubstr;

InputTensor input(int height, int width) {
  const torch::Tensor values = at::randn({3, height, width});
  return {height, width, {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()}};
}

class PyramidNetworkTest : public ::testing::TestWithParam<const char*> {
 protected:
  PyramidNetworkTest() {
    at::manual_seed(21);
    path_ = ::testing::TempDir() + "pyramid_" + GetParam() + ".safetensors";
  }
  ~PyramidNetworkTest() override { std::filesystem::remove(path_); }

  /// Writes the network as a training does, and opens it again.
  std::shared_ptr<const Model> reopened() const {
    const TrainableArchitecture architecture = smallPyramid(GetParam());
    const auto network = freshNetwork(architecture, 3, 1);
    StateDict state;
    for (const auto& entry : network->named_parameters()) {
      state.insert(entry.key(), entry.value().detach());
    }
    for (const auto& entry : network->named_buffers()) state.insert(entry.key(), entry.value());
    auto metadata = architecture.metadata;
    metadata["mechanism"] = architecture.mechanism;
    writeSafetensors(path_, state, metadata);
    return openModel({.path = path_});
  }

 private:
  std::string path_;
};

TEST_P(PyramidNetworkTest, OpensAndRunsOnAPictureThatIsNotSquare) {
  const std::string mechanism = GetParam();
  const auto model = reopened();
  EXPECT_EQ(model->summary().family, "soft_pyramid");
  EXPECT_EQ(model->summary().mechanism, mechanism);
  EXPECT_EQ(model->summary().mechanismConfidence, 1);
  const auto inspection = inspect(*model, input(61, 90));
  ASSERT_EQ(inspection->logits.size(), 3u);
  ASSERT_EQ(inspection->layers.size(), model->summary().layers.size());
  const std::vector<TokenGrid> grids{{16, 23}, {8, 12}, {4, 6}, {2, 3}};
  for (std::size_t s = 0; s < grids.size(); ++s) {
    const LayerInspection& layer = inspection->layers[s];
    const LayerSummary& listed = model->summary().layers[s];
    SCOPED_TRACE(layer.name);
    EXPECT_EQ(layer.name, listed.name);
    const AttentionDescription& description = layer.attention->description();
    EXPECT_EQ(description.mechanism, s < 3 ? mechanism : "softmax");
    EXPECT_EQ(description.mechanism, listed.mechanism);
    EXPECT_EQ(description.heads, listed.heads);
    EXPECT_EQ(description.queryGrid, grids[s]);
    EXPECT_EQ(description.queries, grids[s].count() + (s < 3 ? 0 : 1));
    EXPECT_TRUE(layer.attention->row(description.heads - 1, 1).allFinite());
    EXPECT_GT(layer.attention->row(description.heads - 1, 1).norm(), 0);
  }
  EXPECT_EQ(inspection->layers[0].name, "block1.0.att.mha.attn");
  EXPECT_EQ(inspection->layers[3].name, "block4.0.attn");
  if (mechanism == "linformer" || mechanism == "nystromformer") {
    EXPECT_EQ(inspection->layers[0].attention->description().landmarkGrid, (TokenGrid{2, 2}));
    EXPECT_EQ(inspection->layers[0].attention->description().parameters.at("ratio"), 8);
    EXPECT_EQ(inspection->layers[2].attention->description().landmarkGrid, (TokenGrid{2, 3}));
  }
}

TEST_P(PyramidNetworkTest, TakesAnySizeThatItsLandmarksFit) {
  const auto model = reopened();
  const std::string mechanism = GetParam();
  if (mechanism == "linformer" || mechanism == "nystromformer") {
    try {
      inspect(*model, input(28, 64));
      FAIL() << "took a picture without a landmark";
    } catch (const InspectionError& error) {
      EXPECT_THAT(error.what(), HasSubstr("no landmark below 29 pixels"));
    }
    EXPECT_NO_THROW(inspect(*model, input(29, 29)));
  } else {
    EXPECT_NO_THROW(inspect(*model, input(1, 1)));
    EXPECT_NO_THROW(inspect(*model, input(5, 40)));
  }
}

TEST_P(PyramidNetworkTest, EveryParameterLearns) {
  const auto network = freshNetwork(smallPyramid(GetParam()), 3, 2);
  network->train();
  const torch::Tensor logits = network->forward(at::randn({4, 3, 64, 64}), nullptr);
  ASSERT_EQ(logits.sizes(), (std::vector<std::int64_t>{4, 3}));
  logits.log_softmax(-1).select(1, 0).sum().backward();
  for (const auto& parameter : network->named_parameters()) {
    SCOPED_TRACE(parameter.key());
    const torch::Tensor gradient = parameter.value().grad();
    ASSERT_TRUE(gradient.defined());
    EXPECT_TRUE(gradient.isfinite().all().item<bool>());
    // Nothing but W_k.bias, which a softmax over keys does not feel, may be without effect.
    EXPECT_TRUE(parameter.key().ends_with("W_k.bias") || gradient.abs().sum().item<double>() > 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, PyramidNetworkTest,
                         ::testing::Values("softmax", "linformer", "performer", "nystromformer",
                                           "sima", "sima_l2", "sima_unnormalised", "elu",
                                           "efficient", "cosformer", "cosformer_plain"),
                         [](const auto& test) { return std::string(test.param); });

TEST(PyramidNetwork, ASwitchedMechanismHasTheSameWeights) {
  const auto network = pyramidNetwork(publishedPyramid("pyramid_sima_nano").value());
  const auto other = pyramidNetwork(publishedPyramid("pyramid_nystromformer_nano").value());
  const auto names = network->named_parameters().keys();
  EXPECT_EQ(names, other->named_parameters().keys());
}

TEST(PyramidNetwork, ANewPerformerHasTheSameRandomFeaturesEveryTime) {
  const TrainableArchitecture& performer = findTrainable("pyramid_performer_nano");
  const auto first = freshNetwork(performer, 10, 1);
  at::randn({100});
  const auto second = freshNetwork(performer, 10, 1);
  const std::string name = "block3.2.att.mha.attn.projection";
  const torch::Tensor features = first->named_buffers()[name];
  EXPECT_TRUE(at::equal(features, second->named_buffers()[name]));
  EXPECT_FALSE(at::allclose(features, first->named_buffers()["block3.1.att.mha.attn.projection"]));
  EXPECT_NEAR(features.norm(2, {1}).mean().item<float>(), 5.6, 0.5);
}

}  // namespace
}  // namespace softscope
