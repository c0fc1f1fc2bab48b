#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace softscope {
namespace {

using test::contentOf;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;

const std::string boxedReach = std::string(SOFTSCOPE_SOURCE) + "/resources/";
const std::string reachModel = "figure reach -m " + boxedReach +
                               "checkpoints/softmax_everyday10.safetensors --size 64 "
                               "--directions 2 --layer block1.0.att.mha.attn ";

class ReachFigure : public ::testing::Test {
 protected:
  std::map<std::string, FloatArray> arraysOf(const std::string& arguments) {
    return test::writtenArrays(reachModel + arguments);
  }

  const std::string cat_ = boxedReach + "pictures/chelsea.png ";
  const std::string astronaut_ = boxedReach + "pictures/astronaut.jpg ";
  const std::string name_ = "softmax_everyday10.block1_0_att_mha_attn";
  TemporaryFolder folder_;
};

TEST_F(ReachFigure, WritesPixelsAndRadii) {
  auto arrays = arraysOf(cat_ + "-o " + (folder_ / "reach.svg"));
  const FloatArray& pixels = arrays[name_ + ".reach"];
  ASSERT_EQ(pixels.shape, (std::vector<std::int64_t>{64, 64}));
  // The default query is the patch behind the middle, of 16 x 16 patches: its centre is (34, 34).
  double inside = 0;
  double all = 0;
  const double radius = arrays[name_ + ".radius"].values.at(0);
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 64; ++column) {
      const double influence = pixels.values[static_cast<std::size_t>(row * 64 + column)];
      all += influence;
      if (std::hypot(row + 0.5 - 34, column + 0.5 - 34) < radius - 1e-6) inside += influence;
    }
  }
  EXPECT_LT(inside, all / 2);
  EXPECT_GT(inside, 0.4 * all);
  EXPECT_GT(radius, 1);
  EXPECT_LT(radius, 64);
  EXPECT_NEAR(arrays[name_ + ".uniform_radius"].values.at(0), 25.6, 1);
  EXPECT_THAT(contentOf(folder_ / "reach.svg"), HasSubstr("<svg"));
}

TEST_F(ReachFigure, IsTheMeanOverPictures) {
  const FloatArray first = arraysOf(cat_)[name_ + ".reach"];
  const FloatArray second = arraysOf(astronaut_)[name_ + ".reach"];
  auto arrays = arraysOf(cat_ + astronaut_ + "-o " + (folder_ / "mean.svg"));
  const FloatArray& mean = arrays[name_ + ".reach"];
  EXPECT_EQ(arrays[name_ + ".radii"].values.size(), 2u);
  for (std::size_t i = 0; i < mean.values.size(); ++i) {
    const double expected = (double(first.values[i]) + second.values[i]) / 2;
    ASSERT_NEAR(mean.values[i], expected, 1e-4 * expected + 1e-12) << i;
  }
}

TEST_F(ReachFigure, SaysWhatItCannotDo) {
  const std::string data = " --data " + (folder_ / "no.npz");
  expectOneLine(test::softscope(reachModel + cat_ + "--query class" + data), 1, "class token");
  expectOneLine(test::softscope(reachModel + cat_ + "--at 0.1,0.1 --at 0.2,0.2" + data), 2, "once");
  expectOneLine(test::softscope(reachModel + cat_ + "--directions 0" + data), 2, "--directions");
}

TEST_F(ReachFigure, RadiiFromTokensAreInPatchesBeforeTheBlock) {
  const std::string name = "softmax_everyday10.block2_0_att_mha_attn";
  auto arrays = test::writtenArrays("figure reach -m " + boxedReach +
                                    "checkpoints/softmax_everyday10.safetensors --size 64 "
                                    "--layer block2.0.att.mha.attn --from tokens " +
                                    cat_);
  EXPECT_EQ(arrays[name + ".reach"].shape, (std::vector<std::int64_t>{16, 16}));
  // A circle around the middle that holds half of 16 x 16 patches.
  EXPECT_NEAR(arrays[name + ".uniform_radius"].values.at(0), 6.4, 0.5);
  EXPECT_LT(arrays[name + ".radius"].values.at(0), 8);
}

TEST_F(ReachFigure, NotesDirectionsOfAGradientThatFollowsNone) {
  const std::string arguments = reachModel + cat_ + "--data " + (folder_ / "reach.npz");
  const Outcome positive = test::softscope(arguments + " --gradient positive");
  EXPECT_EQ(positive.exitCode, 0) << positive.errors;
  EXPECT_THAT(positive.errors, HasSubstr("--directions is passed over: "));
  EXPECT_EQ(test::softscope(arguments).errors, "");
}

}  // namespace
}  // namespace softscope
