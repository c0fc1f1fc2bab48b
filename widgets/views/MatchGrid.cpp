#include "widgets/views/MatchGrid.h"

#include "widgets/controls/Theme.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/views/MatchView.h"

#include <cmath>
#include <utility>

namespace softscope {
namespace {

constexpr int narrowestPair = 260;

}  // namespace

MatchGrid::MatchGrid(QWidget* parent) : PanelGrid(tr("Matches"), narrowestPair, parent) {
  setAccessibleDescription(
      tr("Patches of the picture and the patches of another that are most alike. Arrow keys step "
         "the query one patch."));
}

void MatchGrid::setPanels(std::vector<MatchPanel> panels) {
  const double aspect = panels.empty() ? 1 : matchAspect(panels.front());
  const bool sameShape = panels.size() == views_.size() && aspect == aspect_;
  aspect_ = aspect;
  makeViews(panels.size());
  for (std::size_t i = 0; i < panels.size(); ++i) views_[i]->setPanel(std::move(panels[i]));
  if (!sameShape) arrange();
}

void MatchGrid::makeViews(std::size_t count) {
  while (views_.size() > count) {
    // The view may be the sender of the signal being handled, so it is deleted later.
    views_.back()->hide();
    views_.back()->deleteLater();
    views_.pop_back();
  }
  while (views_.size() < count) {
    auto* view = new MatchView(canvas());
    connect(view, &MatchView::pressed, this, &MatchGrid::pressed);
    connect(view, &MatchView::dragged, this, &MatchGrid::dragged);
    views_.push_back(view);
  }
}

PanelGrid::Shape MatchGrid::shape() const {
  const double overhead = headPanelOverhead(screenStyle(*this), false);
  return {count(), aspect_, static_cast<int>(std::ceil(overhead))};
}

void MatchGrid::place(int index, const QRect& place, bool) {
  view(index).setGeometry(place);
  view(index).show();
}

}  // namespace softscope
