#include "widgets/plot/LegendView.h"

#include "widgets/controls/Theme.h"
#include "widgets/plot/PlotPainter.h"

#include <QtGui/QPainter>

#include <cmath>

namespace softscope {
namespace {

constexpr int legendMargin = 12;

}  // namespace

LegendView::LegendView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Legend"));
  // With a fixed height policy the height would stay that of the size hint, but a narrower legend
  // needs more.
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void LegendView::setEntries(std::vector<LegendEntry> entries) {
  entries_ = std::move(entries);
  setVisible(!entries_.empty());
  updateGeometry();
  update();
}

int LegendView::heightForWidth(int width) const {
  const double height = legendHeight(entries_, width - 2 * legendMargin, screenStyle(*this));
  return entries_.empty() ? 0 : static_cast<int>(std::ceil(height)) + legendMargin;
}

QSize LegendView::sizeHint() const {
  return {320, heightForWidth(std::max(320, width()))};
}

void LegendView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintLegend(painter, QRectF(rect()).adjusted(legendMargin, 0, -legendMargin, 0), entries_,
              screenStyle(*this));
}

}  // namespace softscope
