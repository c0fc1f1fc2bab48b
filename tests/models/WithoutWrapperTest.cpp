#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "models/OpenModel.h"
#include "models/WithoutWrapper.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/identify/ExtendedCheckpoint.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A file with DeiT's tensors below two prefixes, but for the second's that `isLeftOut` names.
template <typename IsLeftOut>
Checkpoint twice(const std::string& one, const std::string& other, const IsLeftOut& isLeftOut) {
  const ExtendedCheckpoint file("golden/deit/checkpoint.pth", {});
  const Checkpoint own = readCheckpoint(file.request().path);
  Checkpoint both = own;
  both.state = {};
  for (const StateDict::Entry& entry : own.state.entries()) {
    both.state.insert(one + entry.name, entry.tensor);
    if (!isLeftOut(entry.name)) both.state.insert(other + entry.name, entry.tensor);
  }
  return both;
}

TEST(WithoutWrapper, OfTwoNetworksOfOneKindNoneIsTaken) {
  const auto none = [](const std::string&) { return false; };
  const auto refusal = [](const Checkpoint& checkpoint) {
    return test::messageOf<ModelError>([&] { withoutWrapper(checkpoint); });
  };
  EXPECT_THAT(refusal(twice("vit_rgb.", "vit_depth.", none)),
              AllOf(HasSubstr("holds 2 networks of one kind, below 'vit_depth.', 'vit_rgb.'"),
                    HasSubstr("save the state_dict() of the one")));
  const auto lastBlock = [](const std::string& name) { return name.starts_with("blocks.1."); };
  EXPECT_THAT(refusal(twice("models.0.", "models.1.", lastBlock)),
              HasSubstr("'models.0.', 'models.1.'"));
  // A decoder has no patches to embed.
  const auto patches = [](const std::string& name) { return name.starts_with("patch_embed."); };
  EXPECT_EQ(withoutWrapper(twice("net.encoder.", "net.decoder.", patches)).prefix, "net.encoder.");
}

/// The plain network under the names of OpenMMLab's vision transformers.
Checkpoint ofOpenMmlab() {
  const std::vector<std::pair<std::string, std::string>> others{
      {"first", "cls_token"},
      {"table", "pos_embed"},
      {"embed.", "patch_embed.projection."},
      {"units.", "layers."},
      {".a.", ".ln1."},
      {".b.", ".ln2."},
      {".look.three.", ".attn.qkv."},
      {".look.back.", ".attn.proj."},
      {".up.", ".ffn.layers.0.0."},
      {".down.", ".ffn.layers.1."},
      {"end.", "ln1."},
      {"out.", "head.layers.head."}};
  return withTensors(test::plainNetwork({}, {}), [&](std::string& name, torch::Tensor&) {
    for (const auto& [own, other] : others) {
      const std::size_t at = name.find(own);
      if (at != std::string::npos) name.replace(at, own.size(), other);
    }
    if (!name.starts_with("head.")) name.insert(0, "backbone.");
  });
}

void expectSameLogits(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5);
}

TEST(WithoutWrapper, TheHeadOfOpenMmlabsVisionTransformersIsComputed) {
  const Checkpoint file = ofOpenMmlab();
  ASSERT_TRUE(file.state.contains("head.layers.head.weight"));
  EXPECT_THAT(identifyModel(file).beside, IsEmpty());
  expectSameLogits(test::answerOf(file, {})->logits,
                   test::answerOf(test::plainNetwork({}, {}), {})->logits);
}

TEST(WithoutWrapper, AHiddenLayerInTheHeadOfOpenMmlabIsFollowedByATanh) {
  const torch::Tensor wide = torch::linspace(-1, 1, 24 * 24).reshape({24, 24});
  const Checkpoint plain = ofOpenMmlab();
  Checkpoint file = plain;
  file.state = {};
  for (const StateDict::Entry& entry : plain.state.entries()) {
    if (entry.name == "head.layers.head.weight") {
      file.state.insert("head.layers.pre_logits.weight", wide);
      file.state.insert("head.layers.pre_logits.bias", torch::linspace(-1, 1, 24));
    }
    file.state.insert(entry.name, entry.tensor);
  }
  EXPECT_EQ(identifyModel(file).setting("head-activation")->value, "tanh");
  const Matrix features = test::answerOf(test::plainNetwork({"out."}, {}), {})->features;
  torch::Tensor pooled = torch::empty({24});
  for (std::int64_t i = 0; i < 24; ++i) pooled[i] = features(0, i);
  const torch::Tensor hidden = torch::tanh(torch::mv(wide, pooled) + torch::linspace(-1, 1, 24));
  const auto ofHead = [&](const std::string& name) {
    return file.state.find("head.layers.head." + name)->to(torch::kFloat32);
  };
  const torch::Tensor logits = torch::mv(ofHead("weight"), hidden) + ofHead("bias");
  const float* first = logits.data_ptr<float>();
  expectSameLogits(test::answerOf(file, {})->logits, {first, first + logits.numel()});
}

TEST(WithoutWrapper, ADistilledHeadOfOpenMmlabStaysBesideTheNetwork) {
  Checkpoint file = ofOpenMmlab();
  file.state.insert("head.layers.head_dist.weight", *file.state.find("head.layers.head.weight"));
  const TemporaryFolder folder;
  const std::string path = folder.file("distilled.safetensors");
  writeSafetensors(path, file.state, {});
  EXPECT_THAT(readCheckpoint(path).beside, Contains("head.layers.head.weight"));
}

}  // namespace
}  // namespace softscope
