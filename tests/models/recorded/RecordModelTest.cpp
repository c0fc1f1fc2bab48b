#include "core/inspect/LayerMap.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "models/recorded/RecordModel.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/Golden.h"
#include "tests/models/UnpackedArchive.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// MHLA-DeiT puts zeros around pictures that are smaller than its positions.
TEST(MhlaRecording, HoldsTheZerosAroundThePicture) {
  const test::UnpackedArchive archive("linear.zip");
  const Golden golden(archive.folder("mhla_deit"));
  ASSERT_EQ(golden.inspection->seen, (PictureRegion{-4, -4, 64, 64}));
  const TemporaryFolder folder;
  const std::string path = folder.file("mhla.npz");
  recordModel(*golden.model, {golden.input(), {}, {0, 0, 56, 56}}, path, {});
  const auto recording = openModel({.path = path});
  ASSERT_TRUE(recording->summary().recorded);
  EXPECT_EQ(recording->summary().recorded->width, 64);
  EXPECT_EQ(recording->summary().recorded->height, 64);
  const InputTransform& transform = recording->summary().transform;
  const auto inspection = inspect(*recording, {transform.height, transform.width, {}});
  ASSERT_EQ(inspection->layers.size(), golden.inspection->layers.size());
  for (std::size_t i = 0; i < inspection->layers.size(); ++i) {
    const AttentionMap& map = *inspection->layers[i].attention;
    EXPECT_EQ(map.description().queryGrid, (TokenGrid{16, 16}));
    // Products of other shapes may be summed in another order.
    EXPECT_TRUE(map.row(0, 37).isApprox(golden.inspection->layers[i].attention->row(0, 37), 1e-6f));
  }
}

/// A record without the class token's place would put it among the patches.
TEST(VimRecording, HasTheClassTokenFirst) {
  const test::UnpackedArchive archive("linear.zip");
  const Golden golden(archive.folder("vim"));
  const TemporaryFolder folder;
  const std::string path = folder.file("vim.safetensors");
  recordModel(*golden.model, {golden.input(), {}, {0, 0, 64, 64}}, path, {});
  const auto recording = openModel({.path = path});
  const InputTransform& transform = recording->summary().transform;
  const auto inspection = inspect(*recording, {transform.height, transform.width, {}});
  const AttentionMap& map = *inspection->layers.front().attention;
  EXPECT_EQ(map.description().prefixTokens, 1);
  EXPECT_EQ(map.description().patchesBeforePrefix, 0);
  EXPECT_TRUE(
      map.row(1, 0).isApprox(golden.inspection->layers.front().attention->row(1, 0), 1e-6f));
}

TEST(VimRecording, IsStillTheMeanOverChannels) {
  const test::UnpackedArchive archive("linear.zip");
  const Golden golden(archive.folder("vim"));
  const AttentionDescription& own = golden.inspection->layers.front().attention->description();
  ASSERT_EQ(own.meanOfChannels, 64);
  const TemporaryFolder folder;
  const std::string path = folder.file("vim.npz");
  recordModel(*golden.model, {golden.input(), {}, {0, 0, 64, 64}}, path, {});
  const auto recording = openModel({.path = path});
  const InputTransform& transform = recording->summary().transform;
  const auto inspection = inspect(*recording, {transform.height, transform.width, {}});
  for (const LayerInspection& layer : inspection->layers) {
    EXPECT_EQ(layer.attention->description().meanOfChannels, 64);
    EXPECT_EQ(layer.attention->description().beside, own.beside);
  }
}

/// MHLA-DeiT convolves V with a filter for each channel, which no recording holds.
TEST(MhlaRecording, NamesTheConvolutionBesideTheAttention) {
  const test::UnpackedArchive archive("linear.zip");
  const Golden golden(archive.folder("mhla_deit"));
  ASSERT_TRUE(golden.inspection->layers.front().attention->description().filtersChannels);
  const TemporaryFolder folder;
  const std::string path = folder.file("mhla.safetensors");
  recordModel(*golden.model, {golden.input(), {}, {0, 0, 56, 56}}, path, {});
  const auto recording = openModel({.path = path});
  const InputTransform& transform = recording->summary().transform;
  const auto inspection = inspect(*recording, {transform.height, transform.width, {}});
  for (const LayerInspection& layer : inspection->layers) {
    EXPECT_TRUE(withoutConvolution(layer).starts_with(
        "beside mhla attention stands a convolution of V with a filter for each channel, so that"))
        << withoutConvolution(layer);
  }
}

}  // namespace
}  // namespace softscope
