#include "widgets/plot/LegendView.h"

#include "widgets/controls/Theme.h"
#include "widgets/plot/PlotPainter.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <cmath>

namespace softscope {
namespace {

constexpr int legendMargin = 12;

}  // namespace

LegendView::LegendView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Legend"));
  setMouseTracking(true);
  // With a fixed height policy the height would stay that of the size hint, but a narrower legend
  // needs more.
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void LegendView::setEntries(std::vector<LegendEntry> entries) {
  entries_ = std::move(entries);
  hovered_.reset();
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

void LegendView::mouseMoveEvent(QMouseEvent* event) {
  hover(legendEntryAt(entries_, width() - 2 * legendMargin, screenStyle(*this),
                      event->position() - QPointF(legendMargin, 0)));
}

void LegendView::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hover(std::nullopt);
}

void LegendView::hover(std::optional<std::size_t> entry) {
  if (entry == hovered_) return;
  hovered_ = entry;
  if (entry) {
    Q_EMIT hovered(entries_[*entry]);
  } else {
    Q_EMIT left();
  }
}

void LegendView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintLegend(painter, QRectF(rect()).adjusted(legendMargin, 0, -legendMargin, 0), entries_,
              screenStyle(*this));
}

}  // namespace softscope
