#include "core/array/Npz.h"
#include "tests/commandline/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using testing::contentOf;
using testing::data;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Outcome;
using ::testing::StartsWith;
using testing::TemporaryFolder;

const std::string model = "-m " + data("golden/soft/checkpoint.pth") + " ";
const std::string tensor = data("golden/soft/input.npy");
const std::string picture = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";

TEST(FigureCommand, WritesPngSvgAndPdfWithoutADisplay) {
  const TemporaryFolder folder;
  for (const char* extension : {"png", "svg", "pdf"}) {
    const std::string file = folder / (std::string("heads.") + extension);
    const Outcome outcome = testing::softscope("figure heads " + model + picture + " -o " + file);
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
      ASSERT_EQ(testing::softscope("figure heads " + model + picture + option + file).exitCode, 0);
    }
    EXPECT_EQ(contentOf(first), contentOf(second)) << extension;
    EXPECT_FALSE(contentOf(first).empty());
  }
}

TEST(FigureCommand, DataAreTheAttentionRowsOfTheQuery) {
  const TemporaryFolder folder;
  const std::string file = folder / "heads.npz";
  const Outcome outcome = testing::softscope("figure heads " + model + tensor + " --data " + file +
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
  const Outcome outcome = testing::softscope("figure heads " + model + tensor + " --data " + file +
                                             " --layer all --at 0.2,0.2 --at 0.8,0.5");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  // 2 + 2 + 2 + 3 + 4 heads, the last layer's with their class tokens beside them.
  EXPECT_EQ(readNpz(file).size(), 2u * (2 + 2 + 2 + 3 + 2 * 4));
}

TEST(FigureCommand, WhatCannotBeMeantExitsWith2) {
  for (const std::string& arguments :
       {std::string("figure heads ") + model + tensor,
        "figure nonsense " + model + tensor + " -o /tmp/x.png",
        "figure heads " + model + tensor + " -o /tmp/x.png --query 1",
        "figure heads " + model + tensor + " -o /tmp/x.png --at 2,0",
        "figure heads " + model + tensor + " -o /tmp/x.png --head -1",
        "figure heads " + model + tensor + " -o /tmp/x.png --size 0",
        "figure heads " + model + model + tensor + " -o /tmp/x.png"}) {
    const Outcome outcome = testing::softscope(arguments);
    EXPECT_EQ(outcome.exitCode, 2) << arguments << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
}

TEST(FigureCommand, WhatIsNotThereExitsWith1) {
  for (const std::string& arguments :
       {"figure heads " + model + tensor + " -o /tmp/x.gif",
        "figure heads " + model + tensor + " -o /no/such/folder/x.png",
        "figure heads " + model + tensor + " -o /tmp/x.png --layer block9.0",
        "figure heads " + model + tensor + " -o /tmp/x.png --head 7 --layer block1.0.att.mha.attn",
        "figure heads " + model + tensor + " -o /tmp/x.png --query 99,0",
        "figure heads " + model + tensor + " -o /tmp/x.png --colormap rainbowish"}) {
    const Outcome outcome = testing::softscope(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << arguments << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
}

}  // namespace
}  // namespace softscope
