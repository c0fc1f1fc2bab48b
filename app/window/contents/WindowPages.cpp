#include "app/window/contents/WindowPages.h"

#include "core/analysis/registry/Analyses.h"
#include "widgets/pages/BottleneckPage.h"
#include "widgets/pages/ClassPage.h"
#include "widgets/pages/MatrixPage.h"
#include "widgets/pages/NormsPage.h"
#include "widgets/pages/OverviewPage.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/pages/ReachPage.h"
#include "widgets/pages/RolloutPage.h"
#include "widgets/pages/SaliencyPage.h"
#include "widgets/pages/SharePage.h"
#include "widgets/pages/TokensPage.h"
#include "widgets/pages/deletion/DeletionPage.h"

#include <QtCore/QCoreApplication>

#include <map>

namespace softscope {
namespace {

/// The type of an analysis's page. Special pages are named here; the others share one.
template <typename A>
struct PageOf {
  using Type = PlottedAnalysisPage<A>;
};
template <>
struct PageOf<OverviewAnalysis> {
  using Type = OverviewPage;
};
template <>
struct PageOf<SaliencyAnalysis> {
  using Type = SaliencyPage;
};
template <>
struct PageOf<RolloutAnalysis> {
  using Type = RolloutPage;
};
template <>
struct PageOf<ReachAnalysis> {
  using Type = ReachPage;
};
template <>
struct PageOf<ClassAnalysis> {
  using Type = ClassPage;
};
template <>
struct PageOf<TokensAnalysis> {
  using Type = TokensPage;
};
template <>
struct PageOf<MatrixAnalysis> {
  using Type = MatrixPage;
};
template <>
struct PageOf<BottleneckAnalysis> {
  using Type = BottleneckPage;
};
template <>
struct PageOf<NormsAnalysis> {
  using Type = NormsPage;
};
template <>
struct PageOf<ShareAnalysis> {
  using Type = SharePage;
};
template <>
struct PageOf<DeletionAnalysis> {
  using Type = DeletionPage;
};
// The window creates these pages itself.
template <>
struct PageOf<HeadsAnalysis> {
  using Type = void;
};
template <>
struct PageOf<CompareAnalysis> {
  using Type = void;
};
template <>
struct PageOf<CostAnalysis> {
  using Type = void;
};
template <>
struct PageOf<SurveyAnalysis> {
  using Type = void;
};

template <typename A>
WindowPage pageOf() {
  WindowPage page{QString::fromUtf8(A::about.name), QString::fromUtf8(A::about.title), QString(),
                  A::about.group, nullptr};
  using Made = typename PageOf<A>::Type;
  if constexpr (!std::is_void_v<Made>) {
    page.make = [](Workspace& workspace) -> Page* { return new Made(workspace); };
  }
  return page;
}

/// The keys that bring a page of each row to the front, with its place in the row: Ctrl+3 is the
/// third of the maps.
const char* rowKeys(AnalysisGroup row) {
  switch (row) {
    case AnalysisGroup::Maps:
      return "Ctrl+%1";
    case AnalysisGroup::Mathematics:
      return "Alt+%1";
    case AnalysisGroup::Evidence:
      return "Ctrl+Alt+%1";
  }
  return "";
}

void addShortcuts(std::vector<WindowPage>& pages) {
  constexpr int digits = 9;
  std::map<AnalysisGroup, int> places;
  for (WindowPage& page : pages) {
    const int place = ++places[*page.group];
    if (place > digits) continue;
    page.shortcut = QString::fromUtf8(rowKeys(*page.group)).arg(place);
  }
}

std::vector<WindowPage> allPages() {
  std::vector<WindowPage> pages;
  forEachAnalysis(Analyses(), [&]<typename A>() {
    if constexpr (A::about.hasPage) pages.push_back(pageOf<A>());
  });
  addShortcuts(pages);
  // The last one, as in browsers.
  pages.push_back({QStringLiteral("models"), QCoreApplication::translate("WindowPages", "&Models"),
                   QStringLiteral("Ctrl+9"), std::nullopt, nullptr});
  return pages;
}

}  // namespace

const std::vector<WindowPage>& windowPages() {
  static const std::vector<WindowPage> pages = allPages();
  return pages;
}

}  // namespace softscope
