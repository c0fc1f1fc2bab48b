#include "widgets/views/HeadPanelView.h"

#include "widgets/controls/Theme.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/WheelZoom.h"

#include <QtGui/QAccessible>
#include <QtGui/QContextMenuEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

/// Returns the panel's note and its largest value, for those who do not see its colours.
QString spokenText(const HeadPanel& panel) {
  const Vector& values = panel.values.patches;
  if (values.size() == 0 || panel.colors.size() > 0) return panel.note;
  Eigen::Index largest = 0;
  values.cwiseAbs().maxCoeff(&largest);
  const int width = std::max(1, panel.values.grid.width);
  const auto place = static_cast<int>(largest);
  const QString text = HeadPanelView::tr("largest %1 at patch (%2, %3)")
                           .arg(valueText(values[largest]))
                           .arg(place / width)
                           .arg(place % width);
  return panel.note.isEmpty() ? text : panel.note + captionSeparator + text;
}

}  // namespace

HeadPanelView::HeadPanelView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
}

void HeadPanelView::setPanel(HeadPanel panel, std::shared_ptr<const CroppedPicture> picture) {
  panel_ = std::move(panel);
  picture_ = std::move(picture);
  setAccessibleName(panel_.title);
  if (QAccessible::isActive()) setAccessibleDescription(spokenText(panel_));
  if (!held_) setCursor(asksPlaces() ? Qt::CrossCursor : Qt::ArrowCursor);
  update();
  // The values under a resting pointer may have changed.
  if (pointer_) readOut(*pointer_);
}

std::optional<Patch> HeadPanelView::cellAt(const QPointF& place) const {
  const TokenGrid& grid = panel_.values.grid;
  if (!imageRect().contains(place) || grid.count() == 0) return std::nullopt;
  const QPointF at = fractionAt(place);
  return Patch{std::min(static_cast<int>(at.y() * grid.height), grid.height - 1),
               std::min(static_cast<int>(at.x() * grid.width), grid.width - 1)};
}

std::optional<QPointF> HeadPanelView::askedAt(const QPointF& place) const {
  if (!asksPlaces() || !imageRect().contains(place)) return std::nullopt;
  return fractionAt(place);
}

void HeadPanelView::readOut(const QPointF& place) {
  if (const std::optional<Patch> cell = cellAt(place)) {
    pointer_ = place;
    Q_EMIT hovered(cell->row, cell->column);
  } else if (pointer_) {
    pointer_.reset();
    Q_EMIT left();
  }
}

HeadPanelLayout HeadPanelView::parts() const {
  const double aspect = picture_ ? picture_->aspect() : 1;
  return layoutHeadPanel(QRectF(rect()), aspect, panel_.colorBar, screenStyle(*this));
}

QRectF HeadPanelView::imageRect() const {
  return parts().image;
}

void HeadPanelView::paintEvent(QPaintEvent*) {
  if (!picture_) return;
  QPainter painter(this);
  paintHeadPanel(painter, parts(), panel_, *picture_, screenStyle(*this));
}

QRectF HeadPanelView::shownPart() const {
  return panel_.values.onPicture || panel_.values.patches.size() == 0 ? panel_.visible
                                                                      : QRectF(0, 0, 1, 1);
}

QPointF HeadPanelView::fractionAt(const QPointF& place) const {
  const QRectF image = imageRect();
  const QRectF part = shownPart();
  const double x = std::clamp((place.x() - image.left()) / image.width(), 0.0, 1.0);
  const double y = std::clamp((place.y() - image.top()) / image.height(), 0.0, 1.0);
  return {part.left() + x * part.width(), part.top() + y * part.height()};
}

bool HeadPanelView::asksPlaces() const {
  return panel_.asks && (panel_.values.onPicture || panel_.values.patches.size() == 0);
}

void HeadPanelView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier)
    Q_EMIT chosen(asked_);
}

void HeadPanelView::mousePressEvent(QMouseEvent* event) {
  const bool here = asksPlaces() && imageRect().contains(event->position());
  const bool pins = event->modifiers() & Qt::ShiftModifier;
  if (event->button() == Qt::LeftButton) {
    asks_ = here;
    asked_ = here && !pins;
  }
  if (event->button() == Qt::RightButton) menuAt_ = event->position();
  if (!here) return;
  if (event->button() != Qt::LeftButton) {
    held_ = event->position();
    setCursor(Qt::ClosedHandCursor);
  } else if (pins) {
    Q_EMIT pinned(fractionAt(event->position()));
  } else {
    Q_EMIT pressed(fractionAt(event->position()));
  }
}

void HeadPanelView::mouseReleaseEvent(QMouseEvent* event) {
  const std::optional<QPointF> menuAt = menuAt_;
  if (event->button() == Qt::RightButton) menuAt_.reset();
  if (event->button() != Qt::LeftButton && held_) {
    held_.reset();
    setCursor(Qt::CrossCursor);
  }
  if (event->button() == Qt::RightButton && menuAt) {
    Q_EMIT menuWanted(event->globalPosition().toPoint(), *menuAt);
  }
}

void HeadPanelView::contextMenuEvent(QContextMenuEvent* event) {
  // Pressing the right button may start to drag the picture; the release decides whether it asks
  // for a menu.
  if (event->reason() != QContextMenuEvent::Mouse)
    Q_EMIT menuWanted(event->globalPos(), event->pos());
}

void HeadPanelView::mouseMoveEvent(QMouseEvent* event) {
  if (menuAt_ &&
      (*menuAt_ - event->position()).manhattanLength() >= QApplication::startDragDistance()) {
    menuAt_.reset();
  }
  if (held_) {
    const QRectF image = imageRect();
    const QRectF part = shownPart();
    const QPointF by = *std::exchange(held_, event->position()) - event->position();
    Q_EMIT panned({by.x() / image.width() * part.width(), by.y() / image.height() * part.height()});
    return;
  }
  readOut(event->position());
  const bool held = event->buttons() & Qt::LeftButton;
  const bool pins = event->modifiers() & Qt::ShiftModifier;
  if (held && !pins && asks_) Q_EMIT dragged(fractionAt(event->position()));
}

void HeadPanelView::wheelEvent(QWheelEvent* event) {
  const bool here = asksPlaces() && imageRect().contains(event->position());
  const auto factor = zoomFactor(*event, !wheelZooms_);
  if (!here || !factor) {
    QWidget::wheelEvent(event);
    return;
  }
  Q_EMIT zoomed(*factor, fractionAt(event->position()));
  event->accept();
}

void HeadPanelView::leaveEvent(QEvent*) {
  if (!pointer_) return;
  pointer_.reset();
  Q_EMIT left();
}

}  // namespace softscope
