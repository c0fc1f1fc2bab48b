#include "core/Error.h"
#include "core/analysis/Explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Explanation, EveryTextIsWhole) {
  int texts = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(SOFTSCOPE_SOURCE "/resources/explain")) {
    ASSERT_EQ(file.path().extension(), ".txt");
    const std::string name = file.path().stem().string();
    const Explanation told = explanationOf(name);
    EXPECT_THAT(told.shows, testing::EndsWith(".")) << name;
    EXPECT_THAT(told.lookFor, testing::EndsWith(".")) << name;
    ++texts;
  }
  EXPECT_GE(texts, 16);
}

TEST(Explanation, OfAnUnknownPageSaysWhereItWasLookedFor) {
  EXPECT_THROW(explanationOf("no-such-page"), FileError);
}

TEST(Explanation, IsWrapped) {
  const Explanation told{"Title", "One two three four.", "Five.", "a = b", "Figure 1"};
  const std::string text = explanationText(told, 14);
  EXPECT_THAT(text, StartsWith("Title\n\nOne two three\nfour.\n\nLook for:\nFive.\n"));
  EXPECT_THAT(text, HasSubstr("Formula: a = b"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 14u) << line;
}

}  // namespace
}  // namespace softscope
