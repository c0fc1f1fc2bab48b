#include "widgets/views/PictureView.h"

#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/Theme.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/PictureImage.h"
#include "widgets/views/WheelZoom.h"

#include <QtCore/QLineF>
#include <QtGui/QContextMenuEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>
#include <QtWidgets/QApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {
namespace {

constexpr int pictureMargin = 10;
constexpr double queryMarkSize = 22;
constexpr double pinSize = 18;
constexpr double pointedSize = 16;

}  // namespace

PictureView::PictureView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Picture"));
  setAccessibleDescription(tr("Click to choose a patch; arrow keys step one patch."));
}

void PictureView::setPicture(const QImage& picture) {
  picture_ = picture;
  scaled_ = {};
  pointer_.reset();
  hovered_.reset();
  setCursor(picture_.isNull() ? Qt::ArrowCursor : Qt::CrossCursor);
  updateGeometry();
  update();
}

void PictureView::setReading(bool reading) {
  if (std::exchange(reading_, reading) != reading && picture_.isNull()) update();
}

int PictureView::heightAt(int width) const {
  if (picture_.isNull()) return 0;
  const int room = std::max(1, width - 2 * pictureMargin);
  return 2 * pictureMargin +
         static_cast<int>(std::lround(double(room) * picture_.height() / picture_.width()));
}

void PictureView::setGrid(const PictureExtent& extent, const std::optional<TokenGrid>& grid) {
  extent_ = extent;
  grid_ = grid;
  // After a change of the grid, a resting pointer is on a different patch.
  if (pointer_) hover(*pointer_);
  update();
}

void PictureView::setQuery(const PictureQuery& query, bool marked) {
  query_ = query;
  marked_ = marked;
  update();
}

void PictureView::setPins(std::vector<MarkedQuery> pins) {
  pins_ = std::move(pins);
  update();
}

void PictureView::setPointed(const std::vector<PictureMark>& marks) {
  if (marks == pointed_) return;
  pointed_ = marks;
  update();
}

void PictureView::setVisiblePart(const QRectF& visible) {
  visible_ = visible;
  update();
}

QRectF PictureView::pictureRect() const {
  if (picture_.isNull()) return {};
  const QSizeF room(std::max(1, width() - 2 * pictureMargin),
                    std::max(1, height() - 2 * pictureMargin));
  const QSizeF size = QSizeF(picture_.size()).scaled(room, Qt::KeepAspectRatio);
  return QRectF(std::round((width() - size.width()) / 2), pictureMargin, std::round(size.width()),
                std::round(size.height()));
}

QPointF PictureView::placeOf(const PictureQuery& query) const {
  const QRectF place = pictureRect();
  return {place.left() + query.x * place.width(), place.top() + query.y * place.height()};
}

PictureQuery PictureView::queryAtPlace(const QPointF& point) const {
  const QRectF place = pictureRect();
  return {.x = std::clamp((point.x() - place.left()) / place.width(), 0.0, 1.0),
          .y = std::clamp((point.y() - place.top()) / place.height(), 0.0, 1.0)};
}

QPointF PictureView::markedPlace(const PictureQuery& query) const {
  return placeOf(grid_ ? queryAt(*grid_, extent_, patchAt(*grid_, extent_, query)) : query);
}

QRectF PictureView::seenRect() const {
  const QRectF place = pictureRect();
  const double horizontal = place.width() / extent_.width;
  const double vertical = place.height() / extent_.height;
  const PictureRegion& region = extent_.region;
  return {place.left() + region.x * horizontal, place.top() + region.y * vertical,
          region.width * horizontal, region.height * vertical};
}

QRectF PictureView::patchRect(const Patch& patch) const {
  const QRectF seen = seenRect();
  const double width = seen.width() / grid_->width;
  const double height = seen.height() / grid_->height;
  return {seen.left() + patch.column * width, seen.top() + patch.row * height, width, height};
}

const QPixmap& PictureView::scaledPicture(QSize pixels) {
  if (scaled_.size() != pixels) {
    scaled_ = QPixmap::fromImage(scaledPart(picture_, picture_.rect(), pixels));
  }
  return scaled_;
}

void PictureView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (picture_.isNull()) {
    painter.setPen(mutedText(palette()));
    painter.drawText(rect().adjusted(pictureMargin, pictureMargin, -pictureMargin, -pictureMargin),
                     Qt::AlignCenter | Qt::TextWordWrap,
                     reading_ ? tr("Reading the picture") : tr("Drop a picture here"));
    return;
  }
  const QRectF place = pictureRect();
  painter.drawPixmap(place, scaledPicture(devicePixels(painter, place)),
                     QRectF(QPointF(0, 0), devicePixels(painter, place)));
  paintShade(painter);
  paintVisiblePart(painter);
  if (!grid_) {
    paintPins(painter);
    paintPointed(painter);
    return;
  }

  const double scale = 1 / devicePixelRatioF();
  if (hovered_) paintPatch(painter, *hovered_, QColor(255, 255, 255, 150));
  if (marked_) {
    paintPatch(painter, patchAt(*grid_, extent_, query_), QColor(255, 255, 255));
    paintQueryMark(painter, markedPlace(query_), queryMarkSize, place, std::max(1.0, scale));
  }
  paintPins(painter);
  paintPointed(painter);
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
    painter.drawRect(place.adjusted(-2.5, -2.5, 2.5, 2.5));
  }
}

void PictureView::paintShade(QPainter& painter) const {
  QPainterPath outside;
  outside.addRect(pictureRect());
  QPainterPath seen;
  seen.addRect(seenRect());
  painter.fillPath(outside.subtracted(seen), QColor(0, 0, 0, 130));
}

void PictureView::paintVisiblePart(QPainter& painter) const {
  if (visible_ == QRectF(0, 0, 1, 1)) return;
  const QRectF seen = seenRect();
  const QRectF part(seen.left() + visible_.left() * seen.width(),
                    seen.top() + visible_.top() * seen.height(), visible_.width() * seen.width(),
                    visible_.height() * seen.height());
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(0, 0, 0, 160), 3));
  painter.drawRect(part);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
  painter.drawRect(part);
}

void PictureView::paintPins(QPainter& painter) const {
  const FigureStyle style = screenStyle(*this);
  for (const MarkedQuery& pin : pins_) {
    paintQueryLetter(painter, markedPlace(pin.query), pinSize, pin.color, pin.letter, style);
  }
}

void PictureView::paintPointed(QPainter& painter) const {
  const FigureStyle style = screenStyle(*this);
  const QRectF picture = pictureRect();
  for (const PictureMark& mark : pointed_) {
    const QRectF place(picture.left() + mark.place.x() * picture.width(),
                       picture.top() + mark.place.y() * picture.height(),
                       mark.place.width() * picture.width(),
                       mark.place.height() * picture.height());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0, 200), 1));
    painter.drawRect(place.adjusted(-2, -2, 2, 2));
    painter.setPen(QPen(mark.color, 2));
    painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5));
    // Puts the label beside the patch, on the side where there is more of the picture.
    const double away = place.width() / 2 + pointedSize * 0.6;
    const double side = place.center().x() < picture.center().x() ? 1 : -1;
    paintQueryLetter(painter, place.center() + QPointF(side * away, 0), pointedSize, mark.color,
                     mark.letter, style);
  }
}

void PictureView::paintPatch(QPainter& painter, const Patch& patch, const QColor& color) const {
  const QRectF place = patchRect(patch);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(0, 0, 0, color.alpha() * 2 / 3), 1));
  painter.drawRect(place.adjusted(-1, -1, 1, 1));
  painter.setPen(QPen(color, 1));
  painter.drawRect(place);
}

void PictureView::mousePressEvent(QMouseEvent* event) {
  if (picture_.isNull() || event->button() != Qt::LeftButton) return;
  pressedAt_.reset();
  dragging_ = false;
  if (!pictureRect().contains(event->position())) return;
  if (!seenRect().contains(event->position())) {
    Q_EMIT missed();
    return;
  }
  pressedAt_ = event->position();
  const auto under = std::find_if(pins_.begin(), pins_.end(), [&](const MarkedQuery& pin) {
    return QLineF(markedPlace(pin.query), event->position()).length() < pinSize / 2;
  });
  if (event->modifiers() & Qt::ShiftModifier) {
    Q_EMIT pinned(queryAtPlace(event->position()));
  } else {
    Q_EMIT pressed(under != pins_.end() ? under->query : queryAtPlace(event->position()));
  }
}

void PictureView::mouseMoveEvent(QMouseEvent* event) {
  if (picture_.isNull()) return;
  pointer_ = event->position();
  hover(*pointer_);
  const bool pins = event->modifiers() & Qt::ShiftModifier;
  if (!(event->buttons() & Qt::LeftButton) || !pressedAt_ || pins) return;
  const double moved = (event->position() - *pressedAt_).manhattanLength();
  dragging_ = dragging_ || moved >= QApplication::startDragDistance();
  if (dragging_) Q_EMIT dragged(queryAtPlace(event->position()));
}

void PictureView::wheelEvent(QWheelEvent* event) {
  const QRectF seen = seenRect();
  const auto factor = zoomFactor(*event);
  if (picture_.isNull() || !seen.contains(event->position()) || !factor) {
    QWidget::wheelEvent(event);
    return;
  }
  Q_EMIT zoomed(*factor, {(event->position().x() - seen.left()) / seen.width(),
                          (event->position().y() - seen.top()) / seen.height()});
  event->accept();
}

void PictureView::contextMenuEvent(QContextMenuEvent* event) {
  if (picture_.isNull()) return;
  const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
  std::optional<PictureQuery> place;
  if (byKey) {
    place = query_;
  } else if (seenRect().contains(event->pos())) {
    place = queryAtPlace(event->pos());
  }
  Q_EMIT menuWanted(event->globalPos(), place);
}

void PictureView::hover(const QPointF& place) {
  const bool takesClicks = !picture_.isNull() && seenRect().contains(place);
  setCursor(takesClicks ? Qt::CrossCursor : Qt::ArrowCursor);
  std::optional<Patch> under;
  if (grid_ && seenRect().contains(place)) {
    under = patchAt(*grid_, extent_, queryAtPlace(place));
  }
  if (under == hovered_) return;
  hovered_ = under;
  update();
  if (under) {
    Q_EMIT hovered(*under);
  } else {
    Q_EMIT left();
  }
}

void PictureView::leaveEvent(QEvent*) {
  pointer_.reset();
  if (!hovered_) return;
  hovered_.reset();
  update();
  Q_EMIT left();
}

void PictureView::keyPressEvent(QKeyEvent* event) {
  if (const auto step = arrowStep(*event)) {
    Q_EMIT stepped(step->rows, step->columns);
    return;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace softscope
