#include "widgets/workspace/ComparisonChoice.h"

#include <QtTest/QSignalSpy>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(ComparisonChoiceTest, SaysWhenLayersBecomeLinked) {
  ComparisonChoice comparison;
  QSignalSpy changes(&comparison, &ComparisonChoice::changed);
  QSignalSpy links(&comparison, &ComparisonChoice::layersLinked);
  comparison.set({});
  EXPECT_EQ(changes.count(), 0);
  comparison.set({.onlyMean = true});
  EXPECT_EQ(changes.count(), 1);
  EXPECT_EQ(links.count(), 0) << "they were linked before";
  comparison.set({.linkedLayers = false});
  EXPECT_EQ(links.count(), 0);
  comparison.set({.linkedLayers = true});
  EXPECT_EQ(links.count(), 1);
  EXPECT_EQ(changes.count(), 3);
}

}  // namespace
}  // namespace softscope
