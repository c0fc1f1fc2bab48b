#include "core/array/Npy.h"
#include "core/files/Malformed.h"
#include "core/recording/RecordingFile.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

namespace softscope {
namespace {

using testing::HasSubstr;

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

// Neither are numbers cut nor do they wrap.
TEST(DumpFolder, RefusesNumbersThatAreNoneOfALayer) {
  const TemporaryFolder folder;
  writeDump(folder, 2);
  const std::string sound = contentOf(folder.file("layers.json"));
  for (const auto& [from, to] : {std::pair<std::string, std::string>("[2, 2]", "[2.9, 2.9]"),
                                 {"[2, 2]", "[4294967298, 2]"},
                                 {"\"prefix_tokens\": 1", "\"prefix_tokens\": 1.9"},
                                 {"_prefix\": 2", "_prefix\": 2.5"},
                                 {"_prefix\": 2", "_prefix\": true"},
                                 {"\"landmarks\": null", "\"landmarks\": 2.5"}}) {
    std::string text = sound;
    text.replace(text.find(from), from.size(), to);
    writeBytes(folder.file("layers.json"), text);
    EXPECT_THAT(test::messageOf<Malformed>([&] { readDumpFolder(folder.file(".")); }),
                HasSubstr("is not what softscope dump writes"))
        << to;
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

std::string dumpRefusal(const TemporaryFolder& folder) {
  return test::messageOf<Malformed>([&] { readDumpFolder(folder.file(".")); });
}

/// Writes the list of two layers, whose arrays are in the files.
void writeTwoLayers(const TemporaryFolder& folder, const std::string& first,
                    const std::string& second) {
  std::string list;
  for (const auto& [name, file] : {std::pair("a", first), std::pair("b", second)}) {
    list += (list.empty() ? "" : ",") + std::string(R"({"name": ")") + name +
            R"(", "mechanism": "additive", "query_grid": null, "key_grid": null,
                "landmarks": null, "rows": "all", "file": ")" +
            file + "\"}";
  }
  writeBytes(folder.file("layers.json"), "[" + list + "]");
}

// One large file could be used for any number of arrays otherwise.
TEST(DumpFolder, RefusesAFileUnderSeveralNames) {
  const TemporaryFolder folder;
  writeNpy(folder.file("a.npy"), {{1, 2, 2}, {1, 2, 3, 4}});
  writeTwoLayers(folder, "a.npy", "a.npy");
  EXPECT_THAT(dumpRefusal(folder), HasSubstr("the file of another array"));
  writeTwoLayers(folder, "a.npy", "b.npy");
  std::filesystem::create_symlink("a.npy", folder.file("b.npy"));
  EXPECT_THAT(dumpRefusal(folder), HasSubstr("'b.npy' is the file of another array"));
  std::filesystem::remove(folder.file("b.npy"));
  writeNpy(folder.file("b.npy"), {{1, 2, 2}, {1, 2, 3, 4}});
  EXPECT_EQ(dumpRefusal(folder), "");
  std::filesystem::create_hard_link(folder.file("a.npy"), folder.file("b.q_l1.npy"));
  EXPECT_THAT(dumpRefusal(folder), HasSubstr("'b.q_l1.npy' is the file of another array"));
}

TEST(DumpFolder, RefusesNamesOfFilesWithControlCharacters) {
  const TemporaryFolder folder;
  writeNpy(folder.file("a"), {{1, 2, 2}, {1, 2, 3, 4}});
  writeNpy(folder.file("b\x1b.npy"), {{1, 2, 2}, {1, 2, 3, 4}});
  for (const char* name : {"a\\u0000.npy", "b\\u001b.npy"}) {
    writeTwoLayers(folder, name, "c.npy");
    EXPECT_THAT(dumpRefusal(folder), HasSubstr("names no .npy file of this folder")) << name;
  }
}

}  // namespace
}  // namespace softscope
