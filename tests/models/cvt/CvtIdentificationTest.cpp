#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct CvtSizes {
  std::array<int, 3> channels;
  std::array<int, 3> depths;
};

/// Names and shapes as microsoft/CvT's configurations make them, filled with zeros; published
/// without a list of them.
class CvtState {
 public:
  explicit CvtState(const CvtSizes& sizes) {
    int inputs = 3;
    for (std::size_t s = 0; s < sizes.channels.size(); ++s) {
      const int channels = sizes.channels[s];
      const std::string stage = "stage" + std::to_string(s) + ".";
      const int kernel = s == 0 ? 7 : 3;
      addWithBias(stage + "patch_embed.proj", {channels, inputs, kernel, kernel});
      addWithBias(stage + "patch_embed.norm", {channels});
      for (int i = 0; i < sizes.depths[s]; ++i) {
        addBlock(stage + "blocks." + std::to_string(i) + ".", channels);
      }
      inputs = channels;
    }
    add("stage2.cls_token", {1, 1, inputs});
    addWithBias("norm", {inputs});
    addWithBias("head", {1000, inputs});
  }

  Checkpoint checkpoint(const std::string& path) const {
    Checkpoint checkpoint;
    checkpoint.path = path;
    checkpoint.weights = "raw";
    checkpoint.state = state_;
    return checkpoint;
  }

 private:
  void add(const std::string& name, const std::vector<std::int64_t>& shape) {
    state_.insert(name, torch::zeros({}).expand(shape));
  }

  void addWithBias(const std::string& name, const std::vector<std::int64_t>& shape) {
    add(name + ".weight", shape);
    add(name + ".bias", {shape.front()});
  }

  void addBlock(const std::string& block, int channels) {
    addWithBias(block + "norm1", {channels});
    for (const char* part : {"q", "k", "v"}) {
      const std::string convolution = block + "attn.conv_proj_" + part;
      add(convolution + ".conv.weight", {channels, 1, 3, 3});
      addWithBias(convolution + ".bn", {channels});
      add(convolution + ".bn.running_mean", {channels});
      add(convolution + ".bn.running_var", {channels});
      add(convolution + ".bn.num_batches_tracked", {});
      addWithBias(block + "attn.proj_" + part, {channels, channels});
    }
    addWithBias(block + "attn.proj", {channels, channels});
    addWithBias(block + "norm2", {channels});
    addWithBias(block + "mlp.fc1", {4 * channels, channels});
    addWithBias(block + "mlp.fc2", {channels, 4 * channels});
  }

  StateDict state_;
};

const CvtSizes cvt13{{64, 192, 384}, {1, 2, 10}};
const CvtSizes cvt21{{64, 192, 384}, {1, 4, 16}};
const CvtSizes cvtW24{{192, 768, 1024}, {2, 2, 20}};

/// `parameters` are those of the authors' code; the paper rounds them to 20, 32 and 277 million.
void expectPublished(const CvtSizes& sizes, const std::string& variant, std::int64_t parameters,
                     const std::vector<int>& heads) {
  SCOPED_TRACE(variant);
  const ModelSummary summary = identifyModel(CvtState(sizes).checkpoint("model.pth"));
  EXPECT_EQ(summary.family, "cvt");
  EXPECT_EQ(summary.variant, variant);
  EXPECT_EQ(summary.mechanism, "softmax");
  EXPECT_EQ(summary.parameters, parameters);
  EXPECT_EQ(summary.classes, 1000);
  EXPECT_EQ(summary.heads, heads);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

TEST(CvtIdentification, PublishedShapesAreNamed) {
  expectPublished(cvt13, "cvt_13", 19997480, {1, 3, 6});
  expectPublished(cvt21, "cvt_21", 31622696, {1, 3, 6});
  expectPublished(cvtW24, "cvt_w24", 277196392, {3, 12, 16});
}

TEST(CvtIdentification, ListsLayersByStage) {
  const ModelSummary summary = identifyModel(CvtState(cvt13).checkpoint("model.pth"));
  ASSERT_EQ(summary.layers.size(), 13u);
  EXPECT_EQ(summary.layers.front().name, "stage0.blocks.0.attn");
  EXPECT_EQ(summary.layers[2].name, "stage1.blocks.1.attn");
  EXPECT_EQ(summary.layers[2].stage, 2);
  EXPECT_EQ(summary.layers[2].heads, 3);
  EXPECT_EQ(summary.layers.back().name, "stage2.blocks.9.attn");
}

TEST(CvtIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  expectEachTensorMayBeLost(CvtState(cvt13).checkpoint("model.pth"), "cvt_13",
                            [](const std::string& name) {
                              return name.find("num_batches_tracked") != std::string::npos;
                            });
}

TEST(CvtIdentification, TheMechanismComesFromTheUserThenTheFile) {
  Checkpoint checkpoint = CvtState(cvt13).checkpoint("model.pth");
  const auto mechanism = [&](std::optional<std::string> asked = {}) {
    ModelRequest request;
    request.attention = asked;
    return identifyModel(checkpoint, request);
  };
  EXPECT_EQ(mechanism().mechanism, "softmax");
  EXPECT_EQ(mechanism().confidence(), 0.5);
  EXPECT_THAT(mechanism().alternatives,
              ElementsAre("softmax", "sima", "sima_l2", "sima_unnormalised"));

  checkpoint.path = "/models/CvT-13-224x224-IN-1k.pth";
  EXPECT_EQ(mechanism().confidence(), 0.9);
  EXPECT_TRUE(mechanism("sima").counterfactual);
  EXPECT_THAT(mechanism("sima").alternatives,
              ElementsAre("sima", "softmax", "sima_l2", "sima_unnormalised"));

  checkpoint.metadata["mechanism"] = "sima";
  EXPECT_EQ(mechanism().mechanism, "sima");
  EXPECT_EQ(mechanism().layers.front().mechanism, "sima");
  EXPECT_FALSE(mechanism().counterfactual);
  EXPECT_TRUE(mechanism("softmax").counterfactual);
  EXPECT_THROW(mechanism("xca_channel"), ModelError);
}

TEST(CvtIdentification, AWholePublishedNameAloneTellsTheMechanism) {
  const auto confidence = [](const char* name) {
    return identifyModel(CvtState(cvt13).checkpoint(name)).mechanismConfidence;
  };
  EXPECT_EQ(confidence("CvT-13-224x224-IN-1k.pth"), 0.9);
  EXPECT_EQ(confidence("hydra-CvT-13-224x224-IN-1k.pth"), 0.5);
  EXPECT_EQ(confidence("cvt.pth"), 0.5);
}

TEST(CvtIdentification, HeadsAreThoseOfTheLastStage) {
  const Checkpoint checkpoint = CvtState(cvt13).checkpoint("model.pth");
  ModelRequest request;
  request.heads = 12;
  const ModelSummary summary = identifyModel(checkpoint, request);
  EXPECT_THAT(summary.heads, ElementsAre(2, 6, 12));
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_THAT(summary.headsAlternatives, IsEmpty()) << "published widths";
  request.heads = 5;
  EXPECT_THROW(identifyModel(checkpoint, request), ModelError);
}

TEST(CvtIdentification, HeadsOfOtherWidthsAreAssumed) {
  const ModelSummary summary =
      identifyModel(CvtState({{48, 96, 192}, {1, 1, 1}}).checkpoint("model.pth"));
  EXPECT_THAT(summary.heads, ElementsAre(1, 2, 4)) << "of 48 channels";
  EXPECT_EQ(summary.headsConfidence, 0.5);
  EXPECT_THAT(summary.headsAlternatives, ElementsAre(4, 8, 12, 16, 24, 32, 48));
}

TEST(CvtIdentification, ModelsFor384PixelsTakeTheWholePicture) {
  const auto transform = [](const CvtSizes& sizes, const std::string& path) {
    return identifyModel(CvtState(sizes).checkpoint(path)).transform;
  };
  const InputTransform usual = transform(cvt13, "CvT-13-224x224-IN-1k.pth");
  EXPECT_EQ(usual.extent, InputTransform::Extent::CentreCrop);
  EXPECT_EQ(usual.height, 224);
  EXPECT_DOUBLE_EQ(usual.cropFraction, 0.875);
  for (const InputTransform& large :
       {transform(cvt21, "CvT-21-384x384-IN-22k.pth"), transform(cvtW24, "model.pth")}) {
    EXPECT_EQ(large.extent, InputTransform::Extent::Whole);
    EXPECT_EQ(large.height, 384);
    EXPECT_EQ(large.width, 384);
  }
}

TEST(CvtIdentification, AHeadAbsentAsAWholeIsABackbone) {
  const Checkpoint whole = CvtState(cvt13).checkpoint("model.pth");
  const ModelSummary summary = identifyModel(without(without(whole, "head.weight"), "head.bias"));
  EXPECT_EQ(summary.classes, 0);
  EXPECT_THAT(summary.missing, IsEmpty());
}

}  // namespace
}  // namespace softscope
