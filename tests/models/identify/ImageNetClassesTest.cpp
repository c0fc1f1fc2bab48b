#include "models/identify/Metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace softscope {
namespace {

TEST(ImageNetClasses, NameAThousandUnnamedClasses) {
  ModelSummary summary;
  summary.classes = 1000;
  nameImageNetClasses(summary);
  ASSERT_EQ(summary.classNames.size(), 1000u);
  EXPECT_EQ(summary.classNames[0], "tench");
  EXPECT_EQ(summary.classNames[281], "tabby");
  EXPECT_EQ(summary.classNames[790], "shopping basket");
  EXPECT_EQ(summary.classNames[999], "toilet tissue");
  const std::set<std::string> different(summary.classNames.begin(), summary.classNames.end());
  EXPECT_GE(different.size(), 998u) << "the list itself repeats two";
}

TEST(ImageNetClasses, AreNotThoseOfOthers) {
  ModelSummary summary;
  summary.classes = 999;
  nameImageNetClasses(summary);
  EXPECT_TRUE(summary.classNames.empty());
  summary.classes = 1000;
  summary.classNames.assign(1000, "ours");
  nameImageNetClasses(summary);
  EXPECT_EQ(summary.classNames[3], "ours");
}

}  // namespace
}  // namespace softscope
