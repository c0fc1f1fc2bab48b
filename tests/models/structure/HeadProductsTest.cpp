#include "models/OpenModel.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using test::plainNetwork;
using test::refusalOfParts;
using ::testing::HasSubstr;

/// The words that a head of two products under `path` is refused with, the first as wide as tokens.
std::string refusalOfPair(const std::string& path, const std::string& second) {
  return refusalOfParts(plainNetwork(
      {"out."}, {{path + ".0.weight", {24, 24}}, {path + '.' + second + ".weight", {7, 24}}}));
}

TEST(HeadProducts, NeighboursInAListOfHeadsMayBeOfSeveralTasks) {
  for (const char* path : {"heads", "classifiers", "top.task_heads"}) {
    EXPECT_THAT(refusalOfPair(path, "1"), HasSubstr("may be heads of several tasks")) << path;
    EXPECT_EQ(refusalOfPair(path, "2"), "") << path;
  }
  EXPECT_EQ(refusalOfPair("head", "1"), "");
}

}  // namespace
}  // namespace softscope
