#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct PublishedLinear {
  const char* variant;
  const char* family;
  int heads;
  int picture;

  friend void PrintTo(const PublishedLinear& published, std::ostream* stream) {
    *stream << published.variant;
  }
};

/// What identifyModel() says against a checkpoint; empty where it knows it.
std::string objection(const Checkpoint& checkpoint, const ModelRequest& request = {}) {
  return test::messageOf<ModelError>([&] { identifyModel(checkpoint, request); });
}

/// Parameters of a file that a network carries and does not compute with: SLAB's norms of before.
std::int64_t parametersThatTakeNoPart(const Checkpoint& checkpoint, const ModelSummary& summary) {
  std::int64_t count = 0;
  for (const std::string& name : summary.unexpected) {
    const torch::Tensor& tensor = *checkpoint.state.find(name);
    if (tensor.dim() > 0) count += tensor.numel();
  }
  return count;
}

class PublishedLinearDeitTest : public ::testing::TestWithParam<PublishedLinear> {};

TEST_P(PublishedLinearDeitTest, IsIdentifiedFromNamesAndShapes) {
  const auto& [variant, family, heads, picture] = GetParam();
  Checkpoint checkpoint = zeros(variant);
  checkpoint.path = "checkpoint.pth";
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.family, family);
  EXPECT_EQ(summary.variant, variant);
  EXPECT_EQ(summary.confidence(), 1);
  EXPECT_THAT(summary.heads, ElementsAre(heads));
  EXPECT_THAT(summary.headsAlternatives, IsEmpty());
  EXPECT_EQ(summary.classes, 1000);
  EXPECT_EQ(summary.transform.extent == InputTransform::Extent::SqueezedCrop,
            std::string(family) != "slab_deit")
      << "SLAB keeps the picture's shape";
  EXPECT_EQ(summary.transform.height, picture);
  EXPECT_EQ(summary.transform.width, picture);
  EXPECT_EQ(summary.parameters + parametersThatTakeNoPart(checkpoint, summary),
            publishedParameters(variant));
  ASSERT_EQ(summary.layers.size(), 12u);
  EXPECT_EQ(summary.layers.back().name, "blocks.11.attn");
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.foreign, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, PublishedLinearDeitTest,
    ::testing::Values(PublishedLinear{"inline_deit_tiny_224", "inline_deit", 6, 224},
                      PublishedLinear{"inline_deit_small_288", "inline_deit", 10, 288},
                      PublishedLinear{"inline_deit_base_448", "inline_deit", 12, 448},
                      PublishedLinear{"agent_deit_tiny_224", "agent_deit", 3, 224},
                      PublishedLinear{"agent_deit_small_224", "agent_deit", 6, 224},
                      PublishedLinear{"agent_deit_small_448", "agent_deit", 6, 448},
                      PublishedLinear{"agent_deit_base_224", "agent_deit", 12, 224},
                      PublishedLinear{"slab_deit_tiny", "slab_deit", 3, 224},
                      PublishedLinear{"slab_deit_small", "slab_deit", 6, 224}));

TEST(LinearDeitIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  for (const char* variant : {"inline_deit_tiny_224", "agent_deit_base_224", "slab_deit_tiny"}) {
    const Checkpoint whole = zeros(variant);
    const std::vector<std::string> harmless = identifyModel(whole).unexpected;
    for (const auto& entry : whole.state.entries()) {
      const bool computes =
          std::find(harmless.begin(), harmless.end(), entry.name) == harmless.end() &&
          !entry.name.ends_with("num_batches_tracked");
      SCOPED_TRACE(entry.name);
      const ModelSummary summary = identifyModel(without(whole, entry.name));
      EXPECT_EQ(summary.variant, variant);
      EXPECT_EQ(summary.missing.size(), computes ? 1u : 0u);
      EXPECT_THAT(summary.missing, Each(entry.name));
      EXPECT_THAT(summary.foreign, IsEmpty());
      EXPECT_THAT(summary.wrongShape, IsEmpty());
    }
  }
}

TEST(LinearDeitIdentification, BlocksWithoutAgentsHaveSoftmax) {
  const ModelSummary summary = identifyModel(zeros("agent_deit_base_224"));
  for (std::size_t block = 0; block < summary.layers.size(); ++block) {
    EXPECT_EQ(summary.layers[block].mechanism, block < 4 ? "agent" : "softmax") << block;
    EXPECT_EQ(summary.layers[block].heads, 12) << block;
  }
}

TEST(LinearDeitIdentification, HeadsAndMechanismAreThoseOfTheWeights) {
  for (const auto& [variant, heads] :
       {std::pair("inline_deit_tiny_224", 6), std::pair("agent_deit_tiny_224", 3),
        std::pair("slab_deit_tiny", 3)}) {
    ModelRequest request;
    request.heads = heads;
    EXPECT_EQ(objection(zeros(variant), request), "");
    request.heads = 2;
    EXPECT_THAT(objection(zeros(variant), request),
                AllOf(HasSubstr("say " + std::to_string(heads) + " heads"),
                      HasSubstr("leave out --heads")));
    request.heads.reset();
    request.attention = "softmax";
    EXPECT_THAT(objection(zeros(variant), request), HasSubstr("softmax"));
  }
}

TEST(LinearDeitIdentification, TheSameAttentionInOtherNetworksIsRefusedByName) {
  struct Relative {
    const char* parameter;
    std::vector<std::int64_t> shape;
    const char* name;
    const char* opened;
  };
  const Relative relatives[] = {
      {"block1.0.attn.residual.2.weight", {576, 64, 1}, "InLine-PVT", "InLine-DeiT"},
      {"layers.0.blocks.0.attn.residual.0.weight", {96, 32, 1}, "InLine-Swin", "InLine-DeiT"},
      {"stage1.0.attns.0.residual.2.weight", {288, 32, 1}, "InLine-CSwin", "InLine-DeiT"},
      {"block1.0.attn.an_bias", {1, 9, 7, 7}, "Agent-PVT", "Agent-DeiT"},
      {"layers.0.blocks.0.attn.na_bias", {3, 9, 7, 7}, "Agent-Swin", "Agent-DeiT"},
      {"stage1.0.attns.0.an_bias", {2, 9, 7, 7}, "Agent-CSwin", "Agent-DeiT"},
      {"block1.0.norm1.norm2.alpha", {1}, "SLAB-PVT", "SLAB-DeiT"},
      {"layers.0.blocks.0.norm1.norm2.alpha", {1}, "SLAB-Swin", "SLAB-DeiT"},
      {"stage1.0.norm2.norm2.alpha", {1}, "SLAB-CSwin", "SLAB-DeiT"},
  };
  for (const Relative& relative : relatives) {
    SCOPED_TRACE(relative.parameter);
    Checkpoint checkpoint;
    checkpoint.path = "relative.pth";
    checkpoint.state.insert("patch_embed.proj.weight", torch::zeros({96, 3, 4, 4}));
    checkpoint.state.insert(relative.parameter, torch::zeros(relative.shape));
    EXPECT_THAT(objection(checkpoint),
                AllOf(HasSubstr(std::string("this is ") + relative.name + ","),
                      HasSubstr(std::string("Softscope opens ") + relative.opened),
                      HasSubstr("docs/python.md"), Not(HasSubstr("\n"))));
  }
}

TEST(LinearDeitIdentification, ALayerBeforeTheHeadIsRefusedByName) {
  for (const char* variant : {"inline_deit_tiny_224", "agent_deit_tiny_224", "slab_deit_tiny"}) {
    Checkpoint checkpoint = zeros(variant);
    checkpoint.state.insert("pre_logits.fc.weight", torch::zeros({20, 192}));
    EXPECT_THAT(objection(checkpoint),
                AllOf(HasSubstr("representation_size"), HasSubstr("docs/python.md")));
  }
}

TEST(LinearDeitIdentification, SlabsNormsAroundSoftmaxAreRefusedByName) {
  const Checkpoint published = zeros("slab_deit_tiny");
  Checkpoint checkpoint = published;
  checkpoint.state = {};
  for (const auto& entry : published.state.entries()) {
    const bool simplified = entry.name.find(".attn.dwc.") != std::string::npos ||
                            entry.name.find(".positional_encoding") != std::string::npos;
    if (!simplified) checkpoint.state.insert(entry.name, entry.tensor);
  }
  EXPECT_THAT(objection(checkpoint), HasSubstr("SLAB's batch norms and softmax attention"));
}

/// The checkpoint with another tensor under that name.
Checkpoint withTensor(const Checkpoint& checkpoint, const std::string& name,
                      const torch::Tensor& tensor) {
  Checkpoint changed = without(checkpoint, name);
  changed.state.insert(name, tensor);
  return changed;
}

TEST(LinearDeitIdentification, ShapesThatMakeNoNetworkAreDamage) {
  const Checkpoint inLine = zeros("inline_deit_tiny_224");
  EXPECT_THAT(objection(withTensor(inLine, "pos_embed", torch::zeros({1, 198, 192}))),
              HasSubstr("197 positions makes no square"));
  EXPECT_THAT(
      objection(withTensor(inLine, "blocks.0.attn.residual.0.weight", torch::zeros({192, 31, 1}))),
      HasSubstr("192 channels make no whole number of heads of 31"));
  const Checkpoint agent = zeros("agent_deit_tiny_224");
  EXPECT_THAT(objection(withTensor(agent, "blocks.3.attn.an_bias", torch::zeros({3, 50, 7, 7}))),
              HasSubstr("50 agents make no square"));
}

}  // namespace
}  // namespace softscope
