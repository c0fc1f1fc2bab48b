#include "app/window/contents/WindowPages.h"
#include "tests/app/window/BundledWindow.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"

#include <QtGui/QImage>

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// The window with a model whose maps are signed and one with landmarks.
class FollowedViewTest : public test::BundledWindow {
 protected:
  FollowedViewTest() : BundledWindow({"sima_everyday10", "soft_norm_pooled_everyday10"}) {}
  ViewChoice& view() { return window_->workspace().view(); }
  /// True if the page in front looks different after the change, which is taken back.
  bool isFollowed(const std::function<void(ViewSettings&, OverHeads&)>& change) {
    const ViewSettings settings = view().settings();
    const OverHeads overHeads = view().overHeads();
    const QImage before = page()->grab().toImage();
    ViewSettings changed = settings;
    OverHeads changedHeads = overHeads;
    change(changed, changedHeads);
    view().set(changed);
    view().setOverHeads(changedHeads);
    settle();
    const bool differs = page()->grab().toImage() != before;
    view().set(settings);
    view().setOverHeads(overHeads);
    settle();
    return differs;
  }
  /// The parts of the view that change the page in front.
  std::set<std::string> followedParts() {
    std::set<std::string> parts;
    const auto look = [&](const char* part, auto&& change) {
      if (isFollowed(change)) parts.insert(part);
    };
    look("values", [](ViewSettings& to, OverHeads&) {
      to.colorMap = "viridis";
      to.divergingColorMap = "purple-white-green";
    });
    look("onPicture", [](ViewSettings& to, OverHeads&) { to.opacity = 0.9; });
    look("smooth", [](ViewSettings& to, OverHeads&) { to.smooth = true; });
    look("signs", [](ViewSettings& to, OverHeads&) { to.absolute = true; });
    look("overHeads", [](ViewSettings&, OverHeads& to) { to.largest = true; });
    return parts;
  }
};

std::set<std::string> partsOf(const FollowedView& followed) {
  std::set<std::string> parts;
  if (followed.values) parts.insert("values");
  if (followed.onPicture) parts.insert("onPicture");
  if (followed.smooth) parts.insert("smooth");
  if (followed.signs) parts.insert("signs");
  if (followed.overHeads) parts.insert("overHeads");
  return parts;
}

/// Everything that a page can show in more than one way.
std::vector<AnalysisSettings> waysOf(const QString& page) {
  std::vector<AnalysisSettings> ways(1);
  if (page == QStringLiteral("bottleneck")) {
    ways.emplace_back().of<BottleneckSettings>().approximation = true;
  } else if (page == QStringLiteral("overview")) {
    ways.emplace_back().of<OverviewSettings>().numbers = true;
  } else if (page == QStringLiteral("tokens")) {
    ways.emplace_back().of<TokenSettings>().of = TokenQuantity::Norms;
    ways.emplace_back().of<TokenSettings>().of = TokenQuantity::Components;
  }
  return ways;
}

TEST_F(FollowedViewTest, PagesFollowWhatTheySay) {
  int ofMaps = 0;
  for (const WindowPage& shown : windowPages()) {
    // It measures for minutes, and its pictures are no maps.
    if (shown.name == QStringLiteral("deletion")) continue;
    for (const AnalysisSettings& way : waysOf(shown.name)) {
      std::set<std::string> said;
      std::set<std::string> found;
      for (const int model : {0, 1}) {
        window_->workspace().models().setCurrent(model);
        window_->workspace().analysis().set(way);
        window_->workspace().setPage(shown.name);
        settle();
        if (!page()) continue;
        if (const auto followed = page()->followedView()) said.merge(partsOf(*followed));
        found.merge(followedParts());
      }
      // Approximations may be negative, but those of this picture are not.
      if (way.of<BottleneckSettings>().approximation) found.insert("signs");
      EXPECT_EQ(found, said) << shown.name.toStdString();
      ofMaps += said.empty() ? 0 : 1;
    }
  }
  EXPECT_EQ(ofMaps, 13);
}

}  // namespace
}  // namespace softscope
