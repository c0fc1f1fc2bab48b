#include "app/window/contents/WindowPages.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace softscope {
namespace {

/// A row's pages have its keys and the digits from 1 on, in the order of their tabs.
TEST(WindowPages, HaveShortcutsByTheirPlaceInARow) {
  std::map<AnalysisGroup, int> places;
  std::map<AnalysisGroup, std::set<QString>> keys;
  std::set<QString> all;
  for (const WindowPage& page : windowPages()) {
    EXPECT_TRUE(all.insert(page.shortcut).second) << page.shortcut.toStdString();
    if (!page.group) continue;
    EXPECT_EQ(page.shortcut.back().digitValue(), ++places[*page.group]) << page.name.toStdString();
    keys[*page.group].insert(page.shortcut.chopped(1));
  }
  for (const auto& [row, used] : keys) EXPECT_EQ(used.size(), 1u);
}

}  // namespace
}  // namespace softscope
