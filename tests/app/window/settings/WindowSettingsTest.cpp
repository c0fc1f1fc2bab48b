#include "app/window/settings/WindowSettings.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(RecentFilesOfTwoWindows, TwoWindowsKeepEachOthersRecentFiles) {
  WindowSettings before;
  before.recentModels = {"/a", "/b", "/c"};
  EXPECT_TRUE(writeChanges({}, before));
  WindowSettings one = before;
  WindowSettings other = before;
  rememberPath(one.recentModels, QStringLiteral("/one"));
  rememberPath(other.recentModels, QStringLiteral("/other"));
  rememberPath(other.recentModels, QStringLiteral("/b"));
  EXPECT_TRUE(writeChanges(before, one));
  EXPECT_TRUE(writeChanges(before, other));
  EXPECT_EQ(readWindowSettings().recentModels, (QStringList{"/b", "/other", "/one", "/a", "/c"}));
}

TEST(RecentFilesOfTwoWindows, APathThatWasTakenOutStaysOut) {
  WindowSettings before;
  before.recentModels = {"/a", "/b", "/c"};
  EXPECT_TRUE(writeChanges({}, before));
  WindowSettings after = before;
  after.recentModels = {"/a", "/c"};
  EXPECT_TRUE(writeChanges(before, after));
  EXPECT_EQ(readWindowSettings().recentModels, (QStringList{"/a", "/c"}));
}

}  // namespace
}  // namespace softscope
