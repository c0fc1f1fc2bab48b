#include "core/inspect/LinkedLayer.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(LinkedLayer, SameNameElseTheSameDepth) {
  const std::vector<std::string> four{"a", "b", "c", "d"};
  EXPECT_EQ(linkedLayer(four, "c", {"x", "c", "y"}), "c");
  EXPECT_EQ(linkedLayer(four, "a", {"x", "y"}), "x");
  EXPECT_EQ(linkedLayer(four, "d", {"x", "y"}), "y");
  const std::vector<std::string> eight{"0", "1", "2", "3", "4", "5", "6", "7"};
  EXPECT_EQ(linkedLayer(four, "c", eight), "5");
  EXPECT_EQ(linkedLayer(eight, "4", four), "c");
  EXPECT_EQ(linkedLayer({}, "", four), "a") << "a model without attention is as deep as none";
}

}  // namespace
}  // namespace softscope
