#include "widgets/views/MatchView.h"

#include "widgets/controls/Theme.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <utility>

namespace softscope {

MatchView::MatchView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
}

void MatchView::setPanel(MatchPanel panel) {
  panel_ = std::move(panel);
  setAccessibleName(panel_.title);
  setAccessibleDescription(panel_.note);
  update();
}

HeadPanelLayout MatchView::parts() const {
  return layoutHeadPanel(QRectF(rect()), matchAspect(panel_), false, screenStyle(*this));
}

QRectF MatchView::leftRect() const {
  return leftPicture(panel_, parts().image);
}

std::optional<QPointF> MatchView::fractionAt(const QPointF& place) const {
  const QRectF left = leftRect();
  if (!left.contains(place)) return std::nullopt;
  return QPointF((place.x() - left.x()) / left.width(), (place.y() - left.y()) / left.height());
}

void MatchView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const FigureStyle style = screenStyle(*this);
  HeadPanel names;
  names.title = panel_.title;
  names.note = panel_.note;
  paintPanelTitle(painter, parts(), names, style);
  paintMatches(painter, parts().image, panel_, style);
}

void MatchView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto place = fractionAt(event->position())) Q_EMIT pressed(*place);
}

void MatchView::mouseMoveEvent(QMouseEvent* event) {
  const auto place = fractionAt(event->position());
  setCursor(place ? Qt::CrossCursor : Qt::ArrowCursor);
  if (place && (event->buttons() & Qt::LeftButton)) Q_EMIT dragged(*place);
}

}  // namespace softscope
