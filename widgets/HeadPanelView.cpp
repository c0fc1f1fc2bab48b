#include "widgets/HeadPanelView.h"

#include "widgets/Theme.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <algorithm>

namespace softscope {

HeadPanelView::HeadPanelView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
}

void HeadPanelView::setPanel(HeadPanel panel, std::shared_ptr<const CroppedPicture> picture) {
  panel_ = std::move(panel);
  picture_ = std::move(picture);
  setAccessibleName(panel_.title);
  setCursor(panel_.values.onPicture ? Qt::CrossCursor : Qt::ArrowCursor);
  update();
}

HeadPanelLayout HeadPanelView::parts() const {
  const double aspect = picture_ ? picture_->aspect() : 1;
  return layoutHeadPanel(QRectF(rect()), aspect, panel_.colorBar, screenStyle(*this));
}

QRectF HeadPanelView::imageRect() const {
  return parts().image;
}

void HeadPanelView::paintEvent(QPaintEvent*) {
  if (!picture_ || !panel_.heat.colors) return;
  QPainter painter(this);
  paintHeadPanel(painter, parts(), panel_, *picture_, screenStyle(*this));
}

QPointF HeadPanelView::fractionAt(const QPointF& place) const {
  const QRectF image = imageRect();
  return {std::clamp((place.x() - image.left()) / image.width(), 0.0, 1.0),
          std::clamp((place.y() - image.top()) / image.height(), 0.0, 1.0)};
}

void HeadPanelView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !panel_.values.onPicture) return;
  if (imageRect().contains(event->position())) Q_EMIT pressed(fractionAt(event->position()));
}

void HeadPanelView::mouseMoveEvent(QMouseEvent* event) {
  const TokenGrid& grid = panel_.values.grid;
  if (imageRect().contains(event->position()) && grid.count() > 0) {
    const QPointF at = fractionAt(event->position());
    hovering_ = true;
    Q_EMIT hovered(std::min(static_cast<int>(at.y() * grid.height), grid.height - 1),
                   std::min(static_cast<int>(at.x() * grid.width), grid.width - 1));
  } else if (hovering_) {
    hovering_ = false;
    Q_EMIT left();
  }
  const bool held = event->buttons() & Qt::LeftButton;
  if (held && panel_.values.onPicture) Q_EMIT dragged(fractionAt(event->position()));
}

void HeadPanelView::leaveEvent(QEvent*) {
  if (hovering_) Q_EMIT left();
  hovering_ = false;
}

}  // namespace softscope
