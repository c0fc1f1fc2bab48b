#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using test::contentOf;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using test::writtenArrays;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string boxOfSweeps = std::string(SOFTSCOPE_SOURCE) + "/resources/";

/// Returns the command of a figure of a bundled model on the picture of a cat.
std::string commandOf(const std::string& kind, const std::string& model, const std::string& more) {
  return "figure " + kind + " -m " + boxOfSweeps + "checkpoints/" + model +
         "_everyday10.safetensors " + boxOfSweeps + "pictures/chelsea.png --size 64 " + more;
}

Outcome sweep(const std::string& model, const std::string& more) {
  return test::softscope(commandOf("sweep", model, more));
}

std::size_t filesIn(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(SweepFigureCommand, AQueryCrossesThePictureWithAFrameForEachPatch) {
  const TemporaryFolder folder;
  const Outcome outcome =
      sweep("sima_xcit", "--layer blocks.3.attn --frame-width 300 -o " + (folder / "frames") +
                             " --data " + (folder / "frames.npz"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.output, (folder / "frames") + "\n" + (folder / "frames.npz") + "\n");
  EXPECT_EQ(filesIn(folder / "frames"), 8u) << "64 pixels are eight patches";
}

TEST(SweepFigureCommand, NumbersAreThoseOfTheHeadsAtEachPlace) {
  const std::string layer = "--layer block3.0.att.mha.attn --head 1 ";
  const auto swept =
      writtenArrays(commandOf("sweep", "soft", layer + "--at 0.4,0.3 --at 0.6,0.7 --frames 2"));
  const auto heads = writtenArrays(commandOf("heads", "soft", layer + "--at 0.4,0.3 --at 0.6,0.7"));
  ASSERT_EQ(swept.size(), 2u);
  ASSERT_EQ(heads.size(), swept.size());
  for (const auto& [name, array] : heads) EXPECT_EQ(swept.at(name).values, array.values) << name;
}

TEST(SweepFigureCommand, EveryLayerAnswers) {
  const TemporaryFolder folder;
  const Outcome outcome =
      sweep("soft", "--over layers --head 0 --frame-width 200 -o " + (folder / "layers"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(filesIn(folder / "layers"), 8u);
  const auto arrays =
      writtenArrays(commandOf("sweep", "soft", "--over layers --layer 'block2.*' --head 0"));
  EXPECT_EQ(arrays.size(), 2u);
}

/// Makes a training's series of two checkpoints in the folder's `run`.
void makeRun(const TemporaryFolder& folder) {
  const fs::path box = boxOfSweeps + "checkpoints";
  fs::create_directories(folder / "run");
  fs::copy_file(box / "soft_everyday10.safetensors", folder / "run/epoch_10.safetensors");
  fs::copy_file(box / "soft_norm_everyday10.safetensors", folder / "run/epoch_9.safetensors");
}

TEST(SweepFigureCommand, CheckpointsAreOpenedInTurn) {
  const TemporaryFolder folder;
  makeRun(folder);
  const std::string rest = " " + boxOfSweeps +
                           "pictures/chelsea.png --size 64 --over checkpoints --head 0 "
                           "--layer block2.0.att.mha.attn";
  for (const std::string& model : {folder / "run", "'" + (folder / "run/epoch_*") + "'"}) {
    const auto arrays = writtenArrays("figure sweep -m " + model + rest);
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_THAT(arrays.begin()->first, StartsWith("epoch_10.block2_0_att_mha_attn.row_"));
    EXPECT_THAT(arrays.rbegin()->first, StartsWith("epoch_9."));
    EXPECT_NE(arrays.begin()->second.values, arrays.rbegin()->second.values);
  }
  const Outcome drawn =
      test::softscope("figure sweep -m " + (folder / "run") + rest + " -o " + (folder / "a.webp"));
  EXPECT_EQ(drawn.exitCode, 0) << drawn.errors;
  EXPECT_THAT(contentOf(folder / "a.webp"), HasSubstr("ANIM"));
  expectOneLine(test::softscope("figure sweep -m " + (folder / "run/epoch_9.safetensors") + rest +
                                " -o " + (folder / "b.webp")),
                2, "two or more");
}

TEST(SweepFigureCommand, LandmarksGrow) {
  const std::string layer = "--over landmarks --layer block1.0.att.mha.attn --head 0 ";
  const auto arrays = writtenArrays(commandOf("sweep", "soft", layer + "--landmark-counts 1,4"));
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_THAT(arrays.begin()->first, StartsWith("1_landmarks.block1_0_att_mha_attn.row_"));
  const auto four = writtenArrays(commandOf("heads", "soft",
                                            "--layer block1.0.att.mha.attn --head 0 --landmarks "
                                            "pooled --landmark-count 4"));
  EXPECT_EQ(arrays.rbegin()->second.values, four.begin()->second.values);

  const TemporaryFolder folder;
  const Outcome partly =
      sweep("soft", "--over landmarks --landmark-counts 1,4,61 -o " + (folder / "m.gif"));
  EXPECT_EQ(partly.exitCode, 0);
  EXPECT_THAT(partly.errors, HasSubstr("61 pooled landmarks are left out"));
  expectOneLine(sweep("sima", "--over landmarks -o " + (folder / "n.gif")), 1, "has none there");
}

TEST(SweepFigureCommand, SaysWhatCannotMove) {
  const TemporaryFolder folder;
  const std::string output = "-o " + (folder / "sweep.gif") + " ";
  const auto refused = [&](const std::string& more, int code, const std::string& phrase) {
    expectOneLine(sweep("soft", output + more), code, phrase);
  };
  refused("--at 1.5,0.5", 2, "between 0 and 1");
  refused("--at 0.5,0.5 --at 0.5,0.5", 1, "two frames or more");
  refused("--at 0.4,0.5,class --at 0.6,0.5", 2, "places of the picture");
  refused("--over layers --layer block1.0.att.mha.attn", 1, "two frames or more");
  refused("--over checkpoints", 2, "two or more");
  refused("--over tokens", 2, "query, layers, checkpoints or landmarks");
  refused("--over sideways", 2, "sideways");
  refused("--over layers --frames 9", 2, "--frames is of a query's path");
  refused("--landmark-counts 1,4", 2, "--over landmarks");
  refused("--over landmarks --landmarks pooled --landmark-count 4", 2, "--landmark-counts");
  refused("--frames 1001", 2, "1000");
  refused("--fps 0", 2, "--fps");
  refused("--background transparent", 2, "partly transparent");
  refused("--layer nonsense", 1, "nonsense");
  refused("-m " + boxOfSweeps + "checkpoints/sima_everyday10.safetensors", 2, "shows one model");
  EXPECT_FALSE(fs::exists(folder / "sweep.gif"));
  expectOneLine(sweep("soft", "-o " + (folder / "sweep.mp4")), 2, ".gif or .webp");
  expectOneLine(sweep("soft", "-o " + (folder / "none/sweep.gif")), 1, "does not exist");
  expectOneLine(sweep("soft", "-o /proc/frames"), 1, "/proc");
  expectOneLine(sweep("soft", "-o " + (folder / "s.gif") + " --data numbers.csv"), 2, ".npz");
}

TEST(SweepFigureCommand, OtherKindsPassOverOrRefuseWhatIsOfSweeps) {
  const TemporaryFolder folder;
  const std::string output = "-o " + (folder / "heads.png");
  expectOneLine(test::softscope(commandOf("heads", "soft", "--fps 9 " + output)), 2,
                "--fps belongs to figure sweep");
  expectOneLine(test::softscope("figure cost --over query -o " + (folder / "cost.png")), 2,
                "tokens, channels or heads");
  const Outcome wide =
      sweep("soft", "--dpi 90 --frame-width 100 --frames 2 -o " + (folder / "s.gif"));
  EXPECT_EQ(wide.exitCode, 0);
  EXPECT_THAT(wide.errors, HasSubstr("figure sweep passes over it"));
}

TEST(SweepFigureCommand, CheckpointsHaveTheNamesTheyAreGiven) {
  const TemporaryFolder folder;
  makeRun(folder);
  const std::string rest = " " + boxOfSweeps +
                           "pictures/chelsea.png --size 64 --over checkpoints --head 0 "
                           "--layer block2.0.att.mha.attn --name start";
  const auto arrays =
      writtenArrays("figure sweep -m '" + (folder / "run/epoch_*") + "'" + rest + " --name end");
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_THAT(arrays.begin()->first, StartsWith("end.block2_0_att_mha_attn.row_"));
  EXPECT_THAT(arrays.rbegin()->first, StartsWith("start."));
  expectOneLine(test::softscope("figure sweep -m " + (folder / "run") + rest + " --data " +
                                (folder / "x.npz")),
                2, "--name start is of one checkpoint");
}

TEST(SweepFigureCommand, SaysThatAFolderOfFramesHasNoTime) {
  const TemporaryFolder folder;
  const Outcome outcome =
      sweep("soft", "--over layers --layer 'block2.*' --fps 4 --loops 2 -o " + (folder / "frames"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  for (const std::string option : {"--fps", "--loops"}) {
    EXPECT_THAT(outcome.errors, HasSubstr(option + " is passed over: only a .gif or a .webp"));
  }
}

TEST(SweepFigureCommand, TheKthMechanismBelongsToTheKthCheckpoint) {
  const TemporaryFolder folder;
  makeRun(folder);
  const std::string first = folder / "run/epoch_9.safetensors";
  const std::string rest = " " + boxOfSweeps +
                           "pictures/chelsea.png --size 64 --size 64 --over checkpoints --head 0 "
                           "--layer block2.0.att.mha.attn ";
  const auto arrays = writtenArrays("figure sweep -m " + first + " -m " + first + rest +
                                    "--attention soft --attention soft++");
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_NE(arrays.begin()->second.values, arrays.rbegin()->second.values);
}

TEST(SweepFigureCommand, APictureInTheFolderOfFramesStays) {
  const TemporaryFolder folder;
  const std::string frames = folder / "frames";
  const std::string still = frames + "/frame_0001.png";
  fs::create_directories(frames);
  fs::copy_file(boxOfSweeps + "pictures/chelsea.png", still);
  const std::string before = contentOf(still);
  const auto sweptInto = [&](const std::string& picture) {
    return test::softscope(
        "figure sweep -m " + boxOfSweeps + "checkpoints/soft_everyday10.safetensors " + picture +
        " --size 64 --frames 3 --frame-width 100 --at 0.2,0.2 --at 0.8,0.8 -o " + frames);
  };
  expectOneLine(sweptInto(still), 1, "which is read here");
  expectOneLine(sweptInto(boxOfSweeps + "pictures/chelsea.png"), 1, "holds frame_0001.png");
  EXPECT_EQ(filesIn(frames), 1u);
  EXPECT_EQ(contentOf(still), before);

  fs::remove(still);
  ASSERT_EQ(sweptInto(boxOfSweeps + "pictures/chelsea.png").exitCode, 0);
  expectOneLine(sweptInto(frames + "/frame_01.png"), 1, "which is read here");
  EXPECT_EQ(sweptInto(boxOfSweeps + "pictures/chelsea.png").exitCode, 0) << "a sweep's own";
  EXPECT_EQ(filesIn(frames), 3u);
}

}  // namespace
}  // namespace softscope
