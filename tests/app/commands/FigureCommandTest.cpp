#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string model = "-m " + data("golden/soft/checkpoint.pth") + " ";
const std::string figureTensor = data("golden/soft/input.npy");
const std::string goldenPicture = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";

TEST(FigureCommand, WritesPngSvgAndPdfWithoutADisplay) {
  const TemporaryFolder folder;
  for (const char* extension : {"png", "svg", "pdf"}) {
    const std::string file = folder / (std::string("heads.") + extension);
    const Outcome outcome =
        test::softscope("figure heads " + model + goldenPicture + " -o " + file);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(outcome.output, file + "\n");
  }
  EXPECT_THAT(contentOf(folder / "heads.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(contentOf(folder / "heads.svg"), HasSubstr("<text"));
  EXPECT_THAT(contentOf(folder / "heads.pdf"), StartsWith("%PDF"));
}

TEST(FigureCommand, TheSameCommandWritesTheSameBytes) {
  const TemporaryFolder folder;
  for (const char* extension : {"png", "svg", "pdf", "npz"}) {
    const std::string option = std::string(extension) == "npz" ? " --data " : " -o ";
    const std::string first = folder / (std::string("first.") + extension);
    const std::string second = folder / (std::string("second.") + extension);
    for (const std::string& file : {first, second}) {
      ASSERT_EQ(test::softscope("figure heads " + model + goldenPicture + option + file).exitCode,
                0);
    }
    EXPECT_EQ(contentOf(first), contentOf(second)) << extension;
    EXPECT_FALSE(contentOf(first).empty());
  }
}

TEST(FigureCommand, DataAreTheAttentionRowsOfTheQuery) {
  const TemporaryFolder folder;
  const std::string file = folder / "heads.npz";
  const Outcome outcome =
      test::softscope("figure heads " + model + figureTensor + " --data " + file +
                      " --layer block2.0.att.mha.attn --query 3,5 --head 1");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const NamedArrays arrays = readNpz(file);
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_THAT(arrays[0].second.shape, ElementsAre(12, 16));
  const FloatArray golden = readNpy(data("golden/soft/block2_0_att_mha_attn.npy"));
  const std::size_t row = (192 + 3 * 16 + 5) * 192;
  for (std::size_t key = 0; key < 192; ++key) {
    EXPECT_NEAR(arrays[0].second.values[key], golden.values[row + key], 1e-5);
  }
}

TEST(FigureCommand, AllLayersAndSeveralQueries) {
  const TemporaryFolder folder;
  const std::string file = folder / "heads.npz";
  const Outcome outcome = test::softscope("figure heads " + model + figureTensor + " --data " +
                                          file + " --layer all --at 0.2,0.2 --at 0.8,0.5");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  // 2 + 2 + 2 + 3 + 4 heads, the last layer's with their class tokens beside them.
  EXPECT_EQ(readNpz(file).size(), 2u * (2 + 2 + 2 + 3 + 2 * 4));
}

TEST(FigureCommand, LooksAreOptions) {
  const TemporaryFolder folder;
  const std::string file = folder / "heads.svg";
  const Outcome outcome = test::softscope(
      "figure heads " + model + goldenPicture + " -o " + file +
      " --width 84 --columns 2 --font 'DejaVu Sans' --font-size 6.5 --letters --no-color-bars "
      "--ground transparent --dpi 127");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const std::string svg = contentOf(file);
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 420 "));  // 84 mm at 127 dots an inch
  EXPECT_THAT(svg, HasSubstr("(a)"));
  const std::string bare = folder / "bare.svg";
  ASSERT_EQ(test::softscope("figure heads " + model + goldenPicture + " -o " + bare +
                            " --no-titles --no-color-bars")
                .exitCode,
            0);
  EXPECT_THAT(contentOf(bare), Not(HasSubstr("<text")));
}

TEST(FigureCommand, QueriesKeepTheirOrderAndMarks) {
  const TemporaryFolder folder;
  const std::string file = folder / "heads.npz";
  const Outcome outcome =
      test::softscope("figure heads " + model + figureTensor + " --data " + file +
                      " --layer block2.0.att.mha.attn --head mean"
                      " --at 0,0 --query 3,5 --at 1,1");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const NamedArrays arrays = readNpz(file);
  ASSERT_EQ(arrays.size(), 3u);
  EXPECT_THAT(arrays[0].first, HasSubstr("row_0_0"));
  EXPECT_THAT(arrays[1].first, HasSubstr("row_3_5"));
  EXPECT_THAT(arrays[2].first, HasSubstr("row_11_15"));
}

TEST(FigureCommand, MeanAndLargestAreOverHeads) {
  const TemporaryFolder folder;
  const std::string file = folder / "heads.npz";
  const std::string command = "figure heads " + model + figureTensor + " --data " + file +
                              " --layer block2.0.att.mha.attn --query 3,5";
  ASSERT_EQ(test::softscope(command + " --head all --head max --head mean").exitCode, 0);
  const NamedArrays arrays = readNpz(file);
  ASSERT_EQ(arrays.size(), 4u);
  EXPECT_THAT(arrays[2].first, HasSubstr(".mean"));
  EXPECT_THAT(arrays[3].first, HasSubstr(".max"));
  for (std::size_t i = 0; i < arrays[0].second.values.size(); ++i) {
    const float a = arrays[0].second.values[i];
    const float b = arrays[1].second.values[i];
    EXPECT_NEAR(arrays[2].second.values[i], 0.5 * (double(a) + b), 1e-7);
    EXPECT_EQ(arrays[3].second.values[i], std::abs(b) > std::abs(a) ? b : a);
  }
  ASSERT_EQ(test::softscope(command + " --head max").exitCode, 0);
  ASSERT_EQ(readNpz(file).size(), 1u);
  EXPECT_EQ(readNpz(file)[0].second.values, arrays[3].second.values);
  const Outcome compared =
      test::softscope("figure compare " + model + model + figureTensor + " --data " + file +
                      " --query 3,5 --head max"
                      " --layer block2.0.att.mha.attn");
  ASSERT_EQ(compared.exitCode, 0) << compared.errors;
  EXPECT_EQ(readNpz(file)[0].second.values, arrays[3].second.values);
}

TEST(FigureCommand, CompareWritesARowForEachModel) {
  const TemporaryFolder folder;
  const std::string file = folder / "compare.svg";
  const std::string numbers = folder / "compare.npz";
  const Outcome outcome = test::softscope(
      "figure compare " + model + model + "--attention soft --attention gaussian " + figureTensor +
      " -o " + file + " --data " + numbers +
      " --layer block2.0.att.mha.attn --query 3,5 --difference normalised --linked-scales");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  const std::string svg = contentOf(file);
  for (const char* text : {"SOFT · ", "exact Gaussian kernel (not what was", "normalised"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  const NamedArrays arrays = readNpz(numbers);
  ASSERT_EQ(arrays.size(), 6u);
  EXPECT_THAT(arrays[0].first, StartsWith("checkpoint.block2_0_att_mha_attn.row_3_5.head_0"));
  EXPECT_THAT(arrays[2].first, StartsWith("checkpoint_2.block2_0_att_mha_attn.row_3_5.head_0"));
  EXPECT_THAT(arrays[4].first, StartsWith("checkpoint_minus_checkpoint_2."));
  const auto& soft = arrays[0].second.values;
  const auto& gaussian = arrays[2].second.values;
  const auto magnitude = [](const std::vector<float>& values) {
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::abs(value));
    return largest;
  };
  for (std::size_t i = 0; i < soft.size(); ++i) {
    EXPECT_NEAR(arrays[4].second.values[i],
                soft[i] / magnitude(soft) - gaussian[i] / magnitude(gaussian), 1e-5);
  }
}

/// The registry, as the program itself lists it.
std::vector<std::string> kindsOfFigures() {
  const std::string message = test::softscope("figure no-such-kind").errors;
  const std::string before = " is none of ";
  const std::size_t from = message.find(before) + before.size();
  std::istringstream words(message.substr(from, message.find(" (", from) - from));
  std::vector<std::string> kinds;
  for (std::string word; words >> word;) {
    if (word.ends_with(',')) word.pop_back();
    if (word != "or") kinds.push_back(word);
  }
  return kinds;
}

TEST(FigureCommand, EveryKindSaysWhatItShowsAndListsItsOwnOptions) {
  const std::vector<std::string> kinds = kindsOfFigures();
  ASSERT_GE(kinds.size(), 13u);
  for (const std::string& kind : kinds) {
    const Outcome help = test::softscope("figure " + kind + " --help");
    ASSERT_EQ(help.exitCode, 0) << kind << ": " << help.errors;
    for (const char* part : {"Look for: ", "Formula: ", "Answers to: ", "--data FILE"}) {
      EXPECT_THAT(help.output, HasSubstr(part)) << kind;
    }
    EXPECT_THAT(help.output, HasSubstr("Usage: softscope figure " + kind));
    EXPECT_EQ(help.output.find("--scheme") != std::string::npos, kind == "convergence") << kind;
    EXPECT_EQ(help.output.find("--model") != std::string::npos, kind != "cost") << kind;
  }
  const std::string heads = test::softscope("figure heads --help").output;
  EXPECT_THAT(heads, AllOf(HasSubstr("Colour map: "), HasSubstr("viridis"), HasSubstr("--at")));
  EXPECT_THAT(heads, Not(HasSubstr("(figure heads"))) << "whose options they are is known";
  EXPECT_THAT(test::softscope("figure --help").output,
              AllOf(HasSubstr("--scheme"), HasSubstr("--over"), HasSubstr("(figure ")));
}

TEST(FigureCommand, ModelsAreCalledAsNamesSay) {
  const TemporaryFolder folder;
  const std::string table = folder / "spectrum.csv";
  const auto spectrum = [&](const std::string& names) {
    return test::softscope("figure spectrum " + model + model + figureTensor + names + " --data " +
                           table);
  };
  ASSERT_EQ(spectrum(" --name ours --name theirs").exitCode, 0);
  EXPECT_THAT(contentOf(table), AllOf(HasSubstr("\nours,"), HasSubstr("\ntheirs,")));
  ASSERT_EQ(spectrum(" --name ours").exitCode, 0);
  EXPECT_THAT(contentOf(table), AllOf(HasSubstr("\nours,"), HasSubstr("\ncheckpoint,")))
      << "a single name is the first model's";
  ASSERT_EQ(spectrum("").exitCode, 0);
  EXPECT_THAT(contentOf(table), AllOf(HasSubstr("\ncheckpoint,"), HasSubstr("\ncheckpoint_2,")));
  const Outcome many = spectrum(" --name a --name b --name c");
  EXPECT_EQ(many.exitCode, 2);
  EXPECT_THAT(many.errors, HasSubstr("the k-th name belongs to the k-th -m"));
  const std::string svg = folder / "compare.svg";
  ASSERT_EQ(test::softscope("figure compare " + model + model + goldenPicture +
                            " --name ours --name theirs -o " + svg)
                .exitCode,
            0);
  EXPECT_THAT(contentOf(svg), AllOf(HasSubstr("ours"), HasSubstr("theirs")));
}

TEST(FigureCommand, FilesOfOneNameHaveTheirFolders) {
  const TemporaryFolder folder;
  for (const char* run : {"first", "second"}) {
    std::filesystem::create_directory(folder / run);
    std::filesystem::copy(data("golden/soft/checkpoint.pth"),
                          folder / (std::string(run) + "/checkpoint.pth"));
  }
  const std::string models = " -m " + (folder / "first/checkpoint.pth") + " -m " +
                             (folder / "second/checkpoint.pth") + " --attention soft ";
  const std::string svg = folder / "compare.svg";
  ASSERT_EQ(test::softscope("figure compare" + models + goldenPicture + " -o " + svg).exitCode, 0);
  EXPECT_THAT(contentOf(svg), AllOf(HasSubstr("first/checkpoint"), HasSubstr("second/checkpoint")));
  const std::string table = folder / "spectrum.csv";
  ASSERT_EQ(
      test::softscope("figure spectrum" + models + figureTensor + " --data " + table).exitCode, 0);
  EXPECT_THAT(contentOf(table), AllOf(HasSubstr("\ncheckpoint,"), HasSubstr("\ncheckpoint_2,")))
      << "tables have the file's name, numbered";
}

TEST(FigureCommand, SaysWhereAQueryLiesOutsideWhatIsSeen) {
  const TemporaryFolder folder;
  const auto at = [&](const std::string& place) {
    return test::softscope("figure heads " + model + goldenPicture + " --at " + place + " --data " +
                           (folder / "heads.npz"));
  };
  const Outcome outside = at("0.01,0.5");
  EXPECT_EQ(outside.exitCode, 0);
  EXPECT_THAT(outside.errors, HasSubstr("--at 0.01,0.5 lies outside what the model sees"));
  EXPECT_EQ(at("0.5,0.5").errors, "");
}

TEST(FigureCommand, CompareLinksLayersOfOtherModelsByDepth) {
  const TemporaryFolder folder;
  const std::string file = folder / "compare.npz";
  const Outcome outcome = test::softscope(
      "figure compare " + model + "-m " + data("golden/cvt/checkpoint.pth") + " " + goldenPicture +
      " --size 224 --data " + file + " --layer block2.1.att.mha.attn --head mean");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const NamedArrays arrays = readNpz(file);
  ASSERT_GE(arrays.size(), 2u);
  EXPECT_THAT(arrays[0].first, HasSubstr("block2_1_att_mha_attn"));
  EXPECT_THAT(arrays[1].first, HasSubstr("stage1_blocks_0_attn"));
}

TEST(WindowCommand, ChecksHeadsAndResolutionBeforeItLooksForADisplay) {
  for (const char* arguments : {"--head 3 --head 4", "--head most", "--dpi 5"}) {
    const Outcome outcome = test::softscope(arguments);
    EXPECT_EQ(outcome.exitCode, 2) << arguments;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
  EXPECT_THAT(test::softscope("--head 3 --head 4").errors, HasSubstr("one head or all"));
  EXPECT_THAT(test::softscope("--head 3").errors, HasSubstr("display"));
  EXPECT_THAT(test::softscope("--head mean --head max --dpi 72").errors, HasSubstr("display"));
}

TEST(WindowCommand, RefusesWhatAWorkspaceSaysItself) {
  for (const std::string& option :
       {std::string(model), std::string("--size 64"), std::string("--layer block1.0.att.mha.attn"),
        std::string("--head mean"), std::string("--colormap magma"), std::string("--exif off"),
        std::string("--levels auto"), std::string("--page 2")}) {
    const Outcome outcome = test::softscope("w.softscope " + option);
    EXPECT_EQ(outcome.exitCode, 2) << option;
    EXPECT_THAT(outcome.errors, HasSubstr("does not go with w.softscope"));
  }
  EXPECT_THAT(test::softscope("w.softscope --at 0.5,0.5").errors, HasSubstr("display"));
}

TEST(FigureCommand, PatternsMeanTheSameLayersOfEveryModel) {
  const TemporaryFolder folder;
  const std::string table = folder / "spectrum.csv";
  const Outcome outcome =
      test::softscope("figure spectrum " + model + model + figureTensor +
                      " --layer 'block1.*' --layer 'block2.0.*' --head 0 --data " + table);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const std::string rows = contentOf(table);
  for (const char* row : {"checkpoint,block1.0.", "checkpoint,block2.0.", "checkpoint_2,block1.0.",
                          "checkpoint_2,block2.0."}) {
    EXPECT_NE(rows.find(row), std::string::npos) << row;
  }
}

TEST(FigureCommand, APatchOfColumnsIsOneOfTheKeys) {
  const TemporaryFolder folder;
  const std::string cvt = "-m " + data("golden/cvt/checkpoint.pth") + " ";
  const std::string command = "figure heads " + cvt + goldenPicture +
                              " --size 224 --layer stage0.blocks.0.attn --data " +
                              (folder / "numbers.npz");
  const Outcome last = test::softscope(command + " --query 27,27 --direction columns");
  EXPECT_EQ(last.exitCode, 0) << last.errors;
  const Outcome beyond = test::softscope(command + " --query 28,28 --direction columns");
  EXPECT_EQ(beyond.exitCode, 1) << "there are 56 x 56 queries, but 28 x 28 keys";
  EXPECT_THAT(beyond.errors, HasSubstr("28 x 28"));
}

TEST(FigureCommand, WhatCannotBeMeantExitsWith2) {
  for (const std::string& arguments :
       {std::string("figure heads ") + model + figureTensor,
        "figure nonsense " + model + figureTensor + " -o /tmp/x.png",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --query 1",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --at 2,0",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --head -1",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --size 0",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --mark A:red --mark B:red",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --mark A:notacolour",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --difference raw",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --width 0",
        "figure heads " + model + model + figureTensor + " -o /tmp/x.png",
        "figure compare " + model + figureTensor + " -o /tmp/x.png --difference raw",
        "figure compare " + model + figureTensor + " -o /tmp/x.png --difference more",
        "figure compare " + model + figureTensor + " -o /tmp/x.png --layer a --layer b",
        "figure compare " + model + figureTensor + " -o /tmp/x.png --size 8 --size 9",
        "figure heads " + model + figureTensor + " -o /tmp/x.gif",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --colormap rainbowish",
        "figure heads " + model + figureTensor +
            " -o /tmp/x.png --colormap magma "
            "--colormap viridis",
        "figure compare " + model + figureTensor + " --data /tmp/x.csv"}) {
    const Outcome outcome = test::softscope(arguments);
    EXPECT_EQ(outcome.exitCode, 2) << arguments << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
}

TEST(FigureCommand, EveryKindAcceptsTheCommonOptions) {
  const TemporaryFolder folder;
  const std::string common =
      " --head 0 --query 0,0 --colormap viridis --dpi 72 --theme light --size 64 --layer "
      "block1.0.att.mha.attn -o " +
      (folder / "figure.png");
  for (const std::string kind : {"heads", "compare", "overview", "saliency", "matrix", "spectrum",
                                 "bottleneck", "convergence", "norms", "share"}) {
    const Outcome outcome = test::softscope("figure " + kind + " " + model + figureTensor + common);
    EXPECT_EQ(outcome.exitCode, 0) << kind << "\n" << outcome.errors;
  }
}

TEST(FigureCommand, NotesWhatItPassesOver) {
  const TemporaryFolder folder;
  const Outcome spectrum =
      test::softscope("figure spectrum " + model + figureTensor +
                      " --at 0.5,0.5 --smooth --no-color-bars -o " + (folder / "figure.png"));
  EXPECT_EQ(spectrum.errorLines(), 3) << spectrum.errors;
  EXPECT_THAT(spectrum.errors, HasSubstr("--no-color-bars belongs to"));
  EXPECT_THAT(spectrum.errors, HasSubstr("--at belongs to figure heads, page, sweep, compare, "));
  EXPECT_THAT(spectrum.errors, HasSubstr(" and bottleneck; figure spectrum passes over it"));
  EXPECT_THAT(spectrum.errors, HasSubstr("--smooth belongs to"));
  const Outcome heads = test::softscope("figure heads " + model + figureTensor + " --size 64 -o " +
                                        (folder / "figure.png"));
  EXPECT_EQ(heads.errorLines(), 1) << heads.errors;
  EXPECT_THAT(heads.errors, HasSubstr("--size is for pictures"));
}

TEST(FigureCommand, WhatIsNotThereExitsWith1) {
  for (const std::string& arguments :
       {"figure heads " + model + figureTensor + " -o /no/such/folder/x.png",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --layer block9.0",
        "figure heads " + model + figureTensor +
            " -o /tmp/x.png --head 7 --layer block1.0.att.mha.attn",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --query 99,0",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --font 'No Such Font'",
        "figure heads " + model + figureTensor + " -o /tmp/x.png --width 20 --columns 60",
        "figure compare " + model + figureTensor + " -o /tmp/x.png --layer all",
        "figure compare " + model + figureTensor + " -o /tmp/x.png --layer block9.0",
        "figure compare " + model + model + figureTensor + " -o /tmp/x.png --head 7"}) {
    const Outcome outcome = test::softscope(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << arguments << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
}

TEST(FigureCommand, ADamagedRecordingIsToldRatherThanItsMissingPicture) {
  const TemporaryFolder folder;
  const std::string empty = folder / "empty.npz";
  std::ofstream(empty).close();
  expectOneLine(test::softscope("figure heads -m " + empty + " -o " + (folder / "heads.png")), 1,
                "empty.npz: is empty");
  expectOneLine(test::softscope("figure heads " + model + "-o " + (folder / "heads.png")), 2,
                "needs a picture");
}

TEST(FigureCommand, ComparisonsAreOfSeveralPictures) {
  TemporaryFolder folder;
  const std::string data = folder / "several.npz";
  const std::string compare = "figure compare " + model + figureTensor + " " + goldenPicture + " ";
  const Outcome outcome = test::softscope(compare + "--at 0.2,0.3 --at 0.7,0.8 --data " + data);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const NamedArrays arrays = readNpz(data);
  const auto ofPicture = [&](const std::string& query) {
    const std::string alone = folder / "alone.npz";
    EXPECT_EQ(test::softscope("figure compare " + model + query + " --data " + alone).exitCode, 0);
    return readNpz(alone);
  };
  NamedArrays expected = ofPicture(figureTensor + " --at 0.2,0.3");
  const NamedArrays second = ofPicture(goldenPicture + " --at 0.7,0.8");
  expected.insert(expected.end(), second.begin(), second.end());
  ASSERT_EQ(arrays.size(), expected.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_TRUE(arrays[i].first.ends_with("." + expected[i].first)) << arrays[i].first;
    EXPECT_EQ(arrays[i].second.values, expected[i].second.values) << arrays[i].first;
  }
  expectOneLine(test::softscope(compare + "--at 0,0 --at 0,1 --at 1,1 --data " + data), 2,
                "once per picture");
  expectOneLine(test::softscope(compare + "--linked-scales --data " + data), 2, "--linked-scales");
  expectOneLine(test::softscope("figure heads " + model + figureTensor + " " + goldenPicture +
                                " --data " + data),
                2, "figure heads is of one picture");
}

TEST(FigureCommand, NotesHowNoPictureIsRead) {
  const TemporaryFolder folder;
  const std::string numbers = " --data " + (folder / "heads.npz");
  const Outcome tensor = test::softscope("figure heads " + model + figureTensor + numbers +
                                         " --levels auto --page 2 --exif off");
  EXPECT_EQ(tensor.exitCode, 0);
  EXPECT_EQ(tensor.errorLines(), 1) << tensor.errors;
  EXPECT_THAT(tensor.errors, HasSubstr("--exif off --levels auto --page 2 are passed over, as "));
  const std::string recording = folder / "r.npz";
  ASSERT_EQ(test::softscope("record " + model + goldenPicture + " -o " + recording).exitCode, 0);
  const Outcome recorded = test::softscope("figure heads -m " + recording + numbers + " --page 2");
  EXPECT_EQ(recorded.exitCode, 0);
  EXPECT_THAT(recorded.errors, HasSubstr("--page 2 is passed over, as " + recording));
}

TEST(FigureCommand, NotesQueriesThatNothingIsAskedOf) {
  const TemporaryFolder folder;
  const std::string rest = model + figureTensor + " --head 0 -o " + (folder / "figure.svg") +
                           " --layer block1.0.att.mha.attn ";
  const auto passedOver = [&](const std::string& kind, const std::string& options,
                              const std::string& option) {
    const Outcome outcome = test::softscope("figure " + kind + " " + rest + options);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr(option + " is passed over: ")) << kind;
  };
  passedOver("bottleneck", "--at 0.5,0.5", "--at");
  passedOver("bottleneck", "--mark A:red", "--mark");
  passedOver("matrix", "--mark A:red", "--mark");
  for (const std::string kind : {"bottleneck", "matrix"}) {
    expectOneLine(test::softscope("figure " + kind + " " + rest + "--mark zzz"), 2,
                  "--mark is LETTER:COLOUR");
  }
}

TEST(FigureCommand, SaysOnlyWhatIsWrongWhereItFails) {
  const TemporaryFolder folder;
  expectOneLine(
      test::softscope("figure spectrum " + model + figureTensor +
                      " --at 0.5,0.5 --size 64 --layer nonsense -o " + (folder / "figure.png")),
      1, "nonsense");
}

TEST(FigureCommand, ArraysHaveNamesOfFilesInOneFolder) {
  const auto arrays = test::writtenArrays("figure saliency " + model + figureTensor +
                                          " --name ../../a/b --layer block1.0.att.mha.attn");
  ASSERT_FALSE(arrays.empty());
  for (const auto& [name, array] : arrays) {
    EXPECT_THAT(name, StartsWith(".._.._a_b.block1_0_att_mha_attn"));
  }
}

TEST(FigureCommand, PutsNoNameAmongTheBytesOfStdout) {
  const TemporaryFolder folder;
  const std::string rows = folder / "rows.csv";
  const std::string link = folder / "link.csv";
  std::filesystem::create_symlink("/dev/stdout", link);
  const std::string command = "figure spectrum " + model + figureTensor +
                              " --layer block1.0.att.mha.attn -o " + (folder / "figure.svg") +
                              " --data ";
  const Outcome written = test::softscope(command + rows);
  ASSERT_EQ(written.exitCode, 0) << written.errors;
  EXPECT_THAT(written.output, HasSubstr("figure.svg"));
  const Outcome streamed = test::softscope(command + link);
  EXPECT_EQ(streamed.exitCode, 0) << streamed.errors;
  EXPECT_EQ(streamed.output, contentOf(rows));
}

}  // namespace
}  // namespace softscope
