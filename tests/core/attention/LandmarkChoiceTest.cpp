#include "core/attention/LandmarkChoice.h"

#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

TEST(WithoutLandmarks, LeavesTheRestOfANote) {
  const std::string rest = "with ReLU, not what was trained";
  for (const LandmarkSource source : landmarkSources) {
    for (const auto count : {std::optional<int>(), std::optional<int>(16)}) {
      const std::string text = LandmarkChoice{source, count, 31}.text();
      EXPECT_EQ(noteWithoutLandmarks(text), "") << text;
      const std::string note = text.empty() ? rest : text + ", " + rest;
      EXPECT_EQ(noteWithoutLandmarks(note), rest) << note;
    }
  }
  for (const std::string note : {"", "16", "2 heads", "pooled", "randomised, pooled landmarks"}) {
    EXPECT_EQ(noteWithoutLandmarks(note), note);
  }
}

}  // namespace
}  // namespace softscope
