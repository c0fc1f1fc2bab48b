#include "core/array/Npy.h"
#include "core/files/Malformed.h"
#include "core/recording/RecordingFile.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

/// Writes the dump of a network whose class token stands behind `before` of four patches.
void writeDump(const TemporaryFolder& folder, int before) {
  FloatArray matrix{{1, 5, 5}, {}};
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 5; ++column) {
      matrix.values.push_back(static_cast<float>(10 * row + column));
    }
  }
  writeNpy(folder.file("mixer.npy"), matrix);
  writeBytes(folder.file("layers.json"),
             R"([{"name": "mixer", "mechanism": "mamba", "heads": 1, "queries": 5, "keys": 5,
                  "query_grid": [2, 2], "key_grid": [2, 2], "prefix_tokens": 1,
                  "landmarks": null, "landmark_grid": null, "rows": "all", "file": "mixer.npy",
                  "patches_before_prefix": )" +
                 std::to_string(before) + "}]");
}

TEST(DumpFolder, PutsPrefixTokensFirstWhereverTheyStandInTheSequence) {
  const TemporaryFolder folder;
  writeDump(folder, 2);
  const RecordingFile file = readDumpFolder(folder.file("."));
  const torch::Tensor* attention = file.array("mixer/attn");
  ASSERT_NE(attention, nullptr);
  EXPECT_TRUE(torch::equal((*attention)[0].select(0, 0),
                           torch::tensor({22.0f, 20.0f, 21.0f, 23.0f, 24.0f})));
  EXPECT_TRUE(torch::equal((*attention)[0].select(1, 0),
                           torch::tensor({22.0f, 2.0f, 12.0f, 32.0f, 42.0f})));
}

TEST(DumpFolder, RefusesMorePatchesBeforeThePrefixThanThereAre) {
  for (const int before : {-1, 5, 1 << 30}) {
    const TemporaryFolder folder;
    writeDump(folder, before);
    EXPECT_THROW(readDumpFolder(folder.file(".")), Malformed) << before;
  }
}

TEST(DumpFolder, SaysWhatStandsBesideAndOfHowManyChannelsTheMeanIs) {
  const TemporaryFolder folder;
  writeDump(folder, 2);
  const RecordingFile plain = readDumpFolder(folder.file("."));
  EXPECT_FALSE(plain.has("mixer/beside"));
  EXPECT_FALSE(plain.has("mixer/mean_of_channels"));
  writeBytes(folder.file("layers.json"),
             R"([{"name": "mixer", "mechanism": "additive", "query_grid": null, "key_grid": null,
                  "landmarks": null, "rows": "all", "file": "mixer.npy",
                  "beside": "the query itself", "mean_of_channels": 48}])");
  const RecordingFile file = readDumpFolder(folder.file("."));
  EXPECT_EQ(file.text("mixer/beside"), "the query itself");
  ASSERT_TRUE(file.has("mixer/mean_of_channels"));
  EXPECT_EQ(file.array("mixer/mean_of_channels")->item<int>(), 48);
}

}  // namespace
}  // namespace softscope
