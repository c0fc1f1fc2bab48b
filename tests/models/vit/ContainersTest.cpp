#include "core/Error.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace softscope {
namespace {

using ::testing::HasSubstr;

std::string hubPath(const std::string& file) {
  return goldenPath("hub/" + file);
}

std::shared_ptr<const Inspection> inspected(const std::string& checkpoint, const Golden& golden,
                                            std::optional<std::string> weights = {}) {
  return inspect(*openModel({.path = hubPath(checkpoint), .weights = weights}), golden.input());
}

/// Every number the same as of the weights outside the container.
void expectSameMaps(const Inspection& actual, const Inspection& expected) {
  ASSERT_EQ(actual.layers.size(), expected.layers.size());
  for (std::size_t i = 0; i < expected.layers.size(); ++i) {
    const AttentionMap& map = *expected.layers[i].attention;
    constexpr std::size_t budget = 1 << 20;
    for (int head = 0; head < map.description().heads; ++head) {
      EXPECT_EQ(actual.layers[i].attention->whole(head, budget), map.whole(head, budget));
    }
  }
}

class HubContainerTest : public ::testing::TestWithParam<const char*> {};

TEST_P(HubContainerTest, OpensToTheSameArrays) {
  const Golden golden("hub/hf_vit_v5");
  const std::string path = std::string("containers/") + GetParam();
  const auto inspection = inspected(path, golden);
  EXPECT_EQ(inspection->logits, golden.inspection->logits);
  expectSameMaps(*inspection, *golden.inspection);
}

INSTANTIATE_TEST_SUITE_P(Containers, HubContainerTest,
                         ::testing::Values("compile/checkpoint.pth", "ddp_compile/checkpoint.pth",
                                           "ema/checkpoint.pt", "export_pt2/checkpoint.pt2",
                                           "lightning/checkpoint.ckpt",
                                           "module_pickle/checkpoint.pt", "student/checkpoint.pth"),
                         [](const auto& container) {
                           const std::string path = container.param;
                           return path.substr(0, path.find('/'));
                         });

TEST(HubContainers, TheCopyBesideAnAverageIsItsOwn) {
  const Golden golden("hub/hf_vit_v5");
  const auto raw = inspected("containers/ema/checkpoint.pt", golden, "raw");
  EXPECT_LT(difference(raw->logits, readNpy(hubPath("containers/ema/logits_raw.npy"))), 1e-4);
  EXPECT_NE(raw->logits, golden.inspection->logits);
}

TEST(HubContainers, AModuleOfAnOlderPyTorchIsDataToo) {
  const Golden golden("hub/fb_dinov2_reg_swiglu");
  const auto inspection = inspected("containers/module_pickle_old/checkpoint.pth", golden);
  EXPECT_EQ(inspection->features, golden.inspection->features);
  expectSameMaps(*inspection, *golden.inspection);
}

TEST(HubContainers, BrainFloats) {
  const Golden golden("hub/containers/bfloat16");
  expectLogits(golden);
  expectAttention(golden);
}

TEST(HubContainers, AnyShardOrTheFolderOpensAllOfThem) {
  const Golden golden("hub/hf_sharded");
  for (const char* path : {"hf_sharded", "hf_sharded/model-00002-of-00003.safetensors"}) {
    EXPECT_EQ(inspected(path, golden)->logits, golden.inspection->logits) << path;
  }
}

TEST(HubContainers, AMissingShardIsNamed) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "shards";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(hubPath("hf_sharded"), folder);
  std::filesystem::remove(folder / "model-00002-of-00003.safetensors");
  try {
    openModel({.path = folder.string()});
    ADD_FAILURE() << "a third of the weights is missing";
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr("lacks its shard 'model-00002-of-00003.safetensors'"));
  }
  std::filesystem::remove_all(folder);
}

TEST(HubContainers, AFolderWithoutACheckpointSaysSo) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "empty_hub";
  std::filesystem::create_directories(folder);
  try {
    openModel({.path = folder.string()});
    ADD_FAILURE() << "there is nothing to open";
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is a folder without a checkpoint in it"));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace softscope
