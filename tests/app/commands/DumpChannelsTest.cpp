#include "core/array/Npy.h"
#include "core/array/Npz.h"
#include "core/inspect/LayerMap.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/app/commands/Run.h"
#include "tests/models/UnpackedArchive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// VSSD, Vim and the like have a matrix for every channel; the file beside the mean holds single
/// ones.
class DumpChannelsTest : public testing::Test {
 protected:
  DumpChannelsTest() : archive_("linear.zip"), vim_(archive_.folder("vim")) {}
  Outcome dump(const std::string& options) {
    return test::softscope("dump -m " + vim_ + "/checkpoint.pth " + vim_ + "/input.npy -o " +
                           (folder_ / "dump") + " " + options);
  }

  test::UnpackedArchive archive_;
  std::string vim_;
  TemporaryFolder folder_;
};

TEST_F(DumpChannelsTest, WritesTheChannelsBesideTheirMean) {
  ASSERT_EQ(dump("--channels 2,0").exitCode, 0);
  const std::string stem = folder_ / "dump/layers_0_mixer";
  const FloatArray mean = readNpy(stem + ".npy");
  const FloatArray channels = readNpy(stem + ".channels.npy");
  ASSERT_EQ(channels.shape.size(), 4u);
  EXPECT_EQ(channels.shape[0], 2);
  EXPECT_EQ(std::vector(channels.shape.begin() + 1, channels.shape.end()), mean.shape);
  ASSERT_EQ(dump("--channels 0").exitCode, 0);
  const FloatArray first = readNpy(stem + ".channels.npy");
  const auto size = static_cast<std::ptrdiff_t>(first.values.size());
  EXPECT_EQ(first.values, std::vector(channels.values.end() - size, channels.values.end()))
      << "in the order that was asked for";
}

TEST_F(DumpChannelsTest, AFigureShowsTheChannelThatDumpWrites) {
  // In the network's sequence, the class token stands in the middle, behind 32 patches.
  constexpr std::size_t before = 32;
  ASSERT_EQ(dump("--channels 2 --rows 32").exitCode, 0);
  const FloatArray rows = readNpy(folder_ / "dump/layers_0_mixer.channels.npy");
  const std::string heads = "figure heads -m " + vim_ + "/checkpoint.pth " + vim_ +
                            "/input.npy --layer layers.0.mixer --head 1 --query class";
  const auto keys = static_cast<std::size_t>(rows.shape.back());
  for (const auto& [name, array] : test::writtenArrays(heads + " --channel 2")) {
    if (name.ends_with(".prefix")) continue;
    ASSERT_EQ(array.values.size(), keys - 1) << name;
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      const std::size_t key = i < before ? i : i + 1;
      EXPECT_NEAR(array.values[i], rows.values[keys + key], 1e-5) << name << " " << i;
    }
  }
  EXPECT_NE(test::writtenArrays(heads + " --channel 2").begin()->second.values,
            test::writtenArrays(heads).begin()->second.values);
}

TEST_F(DumpChannelsTest, FiguresSayWhereAChannelIsNotTaken) {
  const std::string input =
      " -m " + vim_ + "/checkpoint.pth " + vim_ + "/input.npy --data " + (folder_ / "none.npz");
  test::expectOneLine(test::softscope("figure heads" + input + " --channel 100000"), 1,
                      "no --channel 100000");
  EXPECT_EQ(test::softscope("figure heads" + input + " --channel -1").exitCode, 2);
  const Outcome rollout = test::softscope("figure rollout" + input + " --channel 0");
  EXPECT_EQ(rollout.exitCode, 0);
  EXPECT_THAT(rollout.errors, HasSubstr("figure rollout passes over it"));
}

TEST_F(DumpChannelsTest, RefusesChannelsThatAreNotThere) {
  const Outcome outcome = dump("--channels 0,100000");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("no channel 100000"));
  EXPECT_EQ(dump("--channels 1,x").exitCode, 2);
  const Outcome none = test::softscope("dump -m " + test::data("golden/soft/checkpoint.pth") + " " +
                                       test::data("golden/soft/input.npy") + " -o " +
                                       (folder_ / "other") + " --channels 0");
  EXPECT_EQ(none.exitCode, 1);
  EXPECT_THAT(none.errors, HasSubstr("leave out --channels"));
}

LayerInspection firstLayerOf(const std::string& recorded) {
  const auto recording = openModel({.path = recorded});
  const InputTransform& transform = recording->summary().transform;
  return inspect(*recording, {transform.height, transform.width, {}})->layers.front();
}

/// Returns the first layer of what a golden case's dump holds when it is opened again.
LayerInspection dumpedLayer(const std::string& golden, const TemporaryFolder& folder) {
  const std::string dumped = folder / "dump";
  const Outcome outcome = test::softscope("dump -m " + golden + "/checkpoint.pth " + golden +
                                          "/input.npy -o " + dumped);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  return firstLayerOf(dumped);
}

TEST(DumpedLayer, IsStillTheMeanOverChannels) {
  const test::UnpackedArchive archive("linear.zip");
  for (const auto& [name, channels] : {std::pair{"vim", 64}, std::pair{"swiftformer", 16}}) {
    const TemporaryFolder folder;
    const LayerInspection layer = dumpedLayer(archive.folder(name), folder);
    EXPECT_EQ(layer.attention->description().meanOfChannels, channels) << name;
    EXPECT_THAT(withoutConvolution(layer), HasSubstr("each channel")) << name;
  }
}

TEST(DumpedLayer, NamesTheConvolutionBesideTheAttention) {
  const test::UnpackedArchive archive("linear.zip");
  const TemporaryFolder folder;
  EXPECT_THAT(withoutConvolution(dumpedLayer(archive.folder("mhla_deit"), folder)),
              StartsWith("beside mhla attention stands a convolution of V with a filter for each "
                         "channel, "));
  const TemporaryFolder other;
  EXPECT_THAT(withoutConvolution(dumpedLayer(test::data("golden/soft"), other)),
              StartsWith("beside soft attention stands a convolution of V with a filter for each "
                         "head, "));
}

TEST(DumpedLayer, HasTheTokensBehindThePatches) {
  const TemporaryFolder folder;
  const std::string path = folder / "behind.npz";
  writeNpz(path, {{"layer/attn", {{2, 18, 18}, std::vector<float>(2 * 18 * 18, 0.1f)}},
                  {"layer/grid", {{2}, {4, 4}}},
                  {"layer/prefix", {{1}, {1}}},
                  {"layer/suffix", {{1}, {1}}}});
  const std::string dumped = folder / "dump";
  const Outcome outcome = test::softscope("dump -m " + path + " -o " + dumped);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const AttentionDescription attention = firstLayerOf(dumped).attention->description();
  EXPECT_EQ(attention.queries, 18);
  EXPECT_EQ(attention.queryGrid, (TokenGrid{4, 4}));
  EXPECT_EQ(attention.keyGrid, (TokenGrid{4, 4}));
  EXPECT_EQ(attention.prefixTokens, 1);
  EXPECT_EQ(attention.suffixTokens, 1);
}

}  // namespace
}  // namespace softscope
