#include "core/array/Npy.h"
#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::notesIn;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string recordedPicture =
    std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";

std::string bundled(const std::string& model) {
  return std::string(SOFTSCOPE_SOURCE) + "/resources/checkpoints/" + model + ".safetensors";
}

/// A recording of a bundled model by the model's name, so that captions are alike, too.
std::string recordingOf(const std::string& model, const TemporaryFolder& folder,
                        const std::string& ending) {
  const std::string file = folder / (model + ending);
  const Outcome outcome =
      test::softscope("record -m " + bundled(model) + " " + recordedPicture + " -o " + file);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr(file));
  return file;
}

/// The bytes of a file that a figure writes, or what it says instead.
std::string written(const std::string& arguments, const std::string& file) {
  const Outcome outcome = test::softscope("figure " + arguments + " " + file);
  if (outcome.exitCode != 0) return "exit " + std::to_string(outcome.exitCode);
  return contentOf(file);
}

struct RecordedFigure {
  const char* model;
  const char* ending;
  const char* kind;
  const char* format;
};

void PrintTo(const RecordedFigure& figure, std::ostream* stream) {
  *stream << figure.model << figure.ending << ", " << figure.kind;
}

class RecordingFigureTest : public ::testing::TestWithParam<RecordedFigure> {};

TEST_P(RecordingFigureTest, IsTheModelsByteForByte) {
  const RecordedFigure& figure = GetParam();
  const TemporaryFolder folder;
  const std::string recording = recordingOf(figure.model, folder, figure.ending);
  const std::string format = figure.format;
  const std::string option = format == "csv" || format == "npz" ? " --data" : " -o";
  const std::string kind = figure.kind;
  const std::string ofModel =
      written(kind + " -m " + bundled(figure.model) + " " + recordedPicture + option,
              folder / ("a." + format));
  const std::string ofRecording =
      written(kind + " -m " + recording + option, folder / ("b." + format));
  ASSERT_FALSE(ofModel.starts_with("exit")) << ofModel;
  EXPECT_GT(ofModel.size(), 100u);
  EXPECT_TRUE(ofModel == ofRecording)
      << ofModel.size() << " and " << ofRecording.size() << " bytes";
}

INSTANTIATE_TEST_SUITE_P(
    OfBundledModels, RecordingFigureTest,
    ::testing::Values(
        RecordedFigure{"soft_everyday10", ".safetensors", "heads --at 0.4,0.3 --layer all", "png"},
        RecordedFigure{"soft_everyday10", ".npz", "heads --at 0.4,0.3 --map effective", "svg"},
        RecordedFigure{"soft_everyday10", ".npz", "spectrum --layer all --of inverse", "csv"},
        RecordedFigure{"soft_everyday10", ".safetensors", "bottleneck --layer all", "npz"},
        RecordedFigure{"soft_norm_everyday10", ".npz", "convergence --layer all", "csv"},
        RecordedFigure{"soft_norm_everyday10", ".safetensors", "norms --layer all", "csv"},
        RecordedFigure{"soft_norm_everyday10", ".safetensors", "bottleneck --approximation", "pdf"},
        RecordedFigure{"sima_xcit_everyday10", ".npz", "saliency --layer blocks.3.attn", "png"},
        RecordedFigure{"sima_xcit_everyday10", ".safetensors", "overview --measure entries", "csv"},
        RecordedFigure{"sima_everyday10", ".npz", "matrix", "npz"},
        RecordedFigure{"softmax_everyday10", ".npz", "heads --direction columns", "npz"},
        RecordedFigure{"softmax_everyday10", ".safetensors", "matrix", "png"},
        RecordedFigure{"nystromformer_everyday10", ".npz", "spectrum --of bottleneck", "csv"},
        RecordedFigure{"linformer_everyday10", ".npz", "spectrum", "csv"},
        RecordedFigure{"performer_everyday10", ".safetensors", "overview", "csv"},
        RecordedFigure{"nonlocal_cifar10", ".npz", "compare", "npz"}));

TEST(RecordCommand, RecordingsStandBesideTheirModel) {
  const TemporaryFolder folder;
  const std::string recording = recordingOf("softmax_everyday10", folder, ".npz");
  // Without IMAGE the recording's picture is shown to the model, too, and so both are alike.
  const std::string file = folder / "difference.npz";
  const Outcome outcome =
      test::softscope("figure compare -m " + recording + " -m " + bundled("softmax_everyday10") +
                      " --difference raw --data " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  bool differs = true;
  for (const auto& [name, array] : readNpz(file)) {
    if (name.find("minus") == std::string::npos) continue;
    differs = false;
    for (const float value : array.values) differs = differs || value != 0;
  }
  EXPECT_FALSE(differs);
}

TEST(RecordCommand, FoldersOfDumpOpen) {
  const TemporaryFolder folder;
  const std::string dump = folder / "soft_everyday10";
  const std::string model = bundled("soft_everyday10");
  Outcome outcome = test::softscope("dump -m " + model + " " + recordedPicture + " -o " + dump +
                                    " --layers 'block2*'");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  outcome = test::softscope("inspect " + dump);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("soft, 2 heads"));
  outcome = test::softscope("dump -m " + dump + " -o " + folder / "again");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  for (const char* name : {"/block2_0_att_mha_attn.npy", "/block2_0_att_mha_attn.A.npy",
                           "/block2_1_att_mha_attn.q_l1.npy", "/logits.npy"}) {
    EXPECT_TRUE(contentOf(dump + name) == contentOf(folder / "again" + name)) << name;
  }
}

TEST(RecordCommand, RefusesOtherEndings) {
  const Outcome outcome = test::softscope("record -m " + bundled("soft_everyday10") + " " +
                                          recordedPicture + " -o recording.json");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.errors, HasSubstr(".npz or .safetensors"));
}

TEST(RecordCommand, RecordingsAreShownOnTheirOwnPictureAlone) {
  const TemporaryFolder folder;
  const std::string first = recordingOf("nonlocal_cifar10", folder, ".npz");
  const std::string other = folder / "other.safetensors";
  const std::string astronaut = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/astronaut.jpg";
  Outcome outcome = test::softscope("record -m " + bundled("nonlocal_cifar10") + " " + astronaut +
                                    " -o " + other);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const std::string compare = "figure compare -m " + first + " -m " + other + " ";
  const std::string data = "--data " + folder / "compare.npz";
  outcome = test::softscope(compare + data);
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("different pictures"));
  for (const std::string& picture : {recordedPicture, other, astronaut}) {
    outcome = test::softscope(compare + picture + " " + data);
    EXPECT_EQ(outcome.exitCode, 1) << picture;
    EXPECT_THAT(outcome.errors, HasSubstr("is not the picture that"));
  }
  for (const std::string& command :
       {"figure heads -m " + first + " " + astronaut + " --data " + folder / "heads.npz",
        "figure saliency -m " + first + " " + astronaut + " -o " + folder / "saliency.png",
        "figure compare -m " + bundled("nonlocal_cifar10") + " -m " + first + " " + astronaut +
            " " + data,
        "dump -m " + first + " " + astronaut + " -o " + folder / "dump"}) {
    outcome = test::softscope(command);
    EXPECT_EQ(outcome.exitCode, 1) << command;
    EXPECT_THAT(outcome.errors, HasSubstr(astronaut + " is not the picture that " + first));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
  }
  // Its own picture is, by whatever name it goes, and so is a recording of the same.
  EXPECT_EQ(test::softscope("figure heads -m " + first + " " + recordedPicture + " --data " +
                            folder / "own.npz")
                .exitCode,
            0);
  EXPECT_EQ(test::softscope("figure compare -m " + bundled("nonlocal_cifar10") + " -m " + first +
                            " " + first + " " + data)
                .exitCode,
            0);
}

TEST(RecordCommand, NoOtherNetworkRunsOnWhat8BitsHoldOfAnInput) {
  const TemporaryFolder folder;
  const std::string model = bundled("soft_norm_everyday10");
  const auto recordingWith = [&](float largest) {
    FloatArray input{{1, 3, 64, 64}, std::vector<float>(std::size_t{3} * 64 * 64, 0)};
    input.values.front() = largest;
    writeNpy(folder / "input.npy", input);
    const std::string recording = folder / "recorded.npz";
    EXPECT_EQ(
        test::softscope("record -m " + model + " " + (folder / "input.npy") + " -o " + recording)
            .exitCode,
        0);
    return recording;
  };
  const auto shownTo = [&](const std::string& network, const std::string& recording) {
    return test::softscope("figure overview -m " + network + " " + recording + " --data " +
                           (folder / "overview.csv"));
  };
  EXPECT_EQ(shownTo(model, recordingWith(1)).exitCode, 0);
  const std::string wide = recordingWith(100);
  test::expectOneLine(shownTo(model, wide), 1, "no picture of 8 bits holds");
  const Outcome itself = shownTo(wide, wide);
  EXPECT_EQ(itself.exitCode, 0) << itself.errors;
}

TEST(RecordCommand, ARecordingWithoutAPictureSaysOnWhichItIsShown) {
  const TemporaryFolder folder;
  const std::string recording = folder / "rec.npz";
  FloatArray attention{{1, 1, 4, 4}, std::vector<float>(16)};
  for (std::size_t i = 0; i < 16; ++i) attention.values[i] = static_cast<float>(i * i % 7);
  writeNpz(recording, {{"a/attn", attention}});
  const std::string notes = folder / "notes.npz";
  const auto figure = [&](const std::string& picture, const std::string& name) {
    return test::softscope("figure heads -m " + recording + picture + " --data " + notes + " -o " +
                           folder / name);
  };
  const std::string said = "recorded without a picture, laid over one given";
  ASSERT_EQ(figure("", "sheet.svg").exitCode, 0);
  EXPECT_THAT(contentOf(folder / "sheet.svg"), Not(HasSubstr(said)));
  ASSERT_EQ(figure(" " + recordedPicture, "laid.svg").exitCode, 0);
  EXPECT_THAT(contentOf(folder / "laid.svg"), HasSubstr(said));
  EXPECT_THAT(notesIn(notes), HasSubstr("rec: grid guessed, " + said));
}

/// The bytes of a .safetensors recording of a layer with two registers before 2 x 2 patches.
std::string recordingOfRegisters() {
  const std::string header =
      R"({"__metadata__":{"l/prefix_names":"[\"register 1\",\"register 2\"]"},)"
      R"("l/attn":{"dtype":"F32","shape":[1,6,6],"data_offsets":[0,144]},)"
      R"("l/grid":{"dtype":"I64","shape":[2],"data_offsets":[144,160]},)"
      R"("l/prefix":{"dtype":"I64","shape":[],"data_offsets":[160,168]}})";
  const std::vector<float> attention(36, 1.0f / 6);
  const std::vector<std::int64_t> integers{2, 2, 2};
  const std::uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(attention.data()), attention.size() * sizeof(float));
  bytes.append(reinterpret_cast<const char*>(integers.data()),
               integers.size() * sizeof(std::int64_t));
  return bytes;
}

TEST(RecordingQuery, ARegisterIsNotTakenForAClassToken) {
  const TemporaryFolder folder;
  const std::string recording = folder / "registers.safetensors";
  std::ofstream(recording, std::ios::binary) << recordingOfRegisters();
  const std::string heads = "figure heads -m " + recording;
  test::expectOneLine(test::softscope(heads + " --query class --data " + folder / "class.npz"), 1,
                      "this layer has no class token; choose token0 to token1 beside its patches");
  const auto arrays = test::writtenArrays(heads + " --query token0");
  EXPECT_FALSE(arrays.empty());
  for (const auto& [name, array] : arrays) {
    EXPECT_THAT(name, HasSubstr("l.row_token0."));
  }
}

}  // namespace
}  // namespace softscope
