#include "widgets/views/HeadWallView.h"

#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/Theme.h"
#include "widgets/paint/PanelText.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

constexpr int wallMargin = 12;
constexpr double thumbnailGap = 3;
constexpr double smallestThumbnail = 8;
constexpr double columnGap = 24;
/// Thumbnails must grow by this factor to be worth another column.
constexpr double worthAColumn = 1.15;
/// Below this width a head's number would cover too much of it.
constexpr double numberedThumbnail = 30;
constexpr double queryDot = 4;
/// Diameter of the mark of a collected head; smaller thumbnails have only its frame.
constexpr double collectedMark = 14;

}  // namespace

HeadWallView::HeadWallView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("All heads"));
  setAccessibleDescription(
      tr("What every head of every layer attends to. Arrow keys step the query one patch; a click "
         "enlarges a head. With Ctrl, arrow keys go from head to head: Space collects the head for "
         "Compare, or takes it out, and Enter enlarges it. A click with Shift collects it, too."));
}

void HeadWallView::setRows(std::vector<HeadThumbnails> rows, double aspect) {
  const bool sameLayers =
      std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                 [](const auto& a, const auto& b) { return a.layer == b.layer; });
  rows_ = std::move(rows);
  aspect_ = aspect;
  // A row may have fewer heads than before, or none until they are known.
  const bool isThere =
      sameLayers && under_ &&
      under_->index < static_cast<int>(rows_[static_cast<std::size_t>(under_->layer)].heads.size());
  if (!isThere) under_.reset();
  update();
}

void HeadWallView::setChosenLayer(int layer) {
  if (layer == chosenLayer_) return;
  chosenLayer_ = layer;
  update();
}

void HeadWallView::setCloser(QWidget* panel) {
  closer_ = panel;
  closer_->setParent(this);
  closer_->hide();
}

bool HeadWallView::showsCloser() const {
  return closer_ && !closer_->isHidden();
}

QPointF HeadWallView::Parts::rowStart(int layer) const {
  return corner + QPointF(names + layer / rows * columnWidth, layer % rows * pitch.height());
}

HeadWallView::Parts HeadWallView::partsIn(int columns, double names, int heads) const {
  const int layers = std::max(1, static_cast<int>(rows_.size()));
  Parts parts;
  parts.names = names;
  parts.rows = (layers + columns - 1) / columns;
  const double gaps = columnGap * (columns - 1);
  const double across = ((width() - 2 * wallMargin - gaps) / columns - names) / heads;
  const double down = (height() - 2.0 * wallMargin) / parts.rows;
  const double cell =
      std::max(smallestThumbnail, std::min(across - thumbnailGap, (down - thumbnailGap) * aspect_));
  parts.cell = {cell, cell / aspect_};
  parts.pitch = parts.cell + QSizeF(thumbnailGap, thumbnailGap);
  parts.columnWidth = names + heads * parts.pitch.width() + columnGap;
  const QSizeF whole(parts.columnWidth * columns - columnGap, parts.rows * parts.pitch.height());
  parts.corner = {std::max<double>(wallMargin, (width() - whole.width()) / 2),
                  std::max<double>(wallMargin, (height() - whole.height()) / 2)};
  return parts;
}

HeadWallView::Parts HeadWallView::parts() const {
  const QFontMetricsF small(screenStyle(*this).small);
  double names = 0;
  for (const HeadThumbnails& row : rows_) {
    names = std::max(names, small.horizontalAdvance(row.layer));
  }
  names = std::min(names, width() / 4.0) + wallMargin / 2.0;
  std::size_t heads = 1;
  for (const HeadThumbnails& row : rows_) heads = std::max(heads, row.heads.size());
  Parts best = partsIn(1, names, static_cast<int>(heads));
  for (int columns = 2; columns <= static_cast<int>(rows_.size()); ++columns) {
    const Parts parts = partsIn(columns, names, static_cast<int>(heads));
    // One column reads best, and is left only for thumbnails that are clearly larger.
    if (parts.cell.width() > worthAColumn * best.cell.width()) best = parts;
  }
  return best;
}

QRectF HeadWallView::thumbnailRect(int layer, int index) const {
  const Parts all = parts();
  return {all.rowStart(layer) + QPointF(index * all.pitch.width(), 0), all.cell};
}

std::optional<WallPlace> HeadWallView::placeAt(const QPointF& at) const {
  if (rows_.empty()) return std::nullopt;
  const Parts all = parts();
  const QPointF from = at - all.corner;
  if (from.x() < 0 || from.y() < 0) return std::nullopt;
  const int column = static_cast<int>(from.x() / all.columnWidth);
  const double x = from.x() - column * all.columnWidth - all.names;
  const int row = static_cast<int>(from.y() / all.pitch.height());
  if (x < 0 || row >= all.rows) return std::nullopt;
  WallPlace place;
  place.layer = column * all.rows + row;
  place.index = static_cast<int>(x / all.pitch.width());
  if (place.layer >= static_cast<int>(rows_.size())) return std::nullopt;
  const auto& heads = rows_[static_cast<std::size_t>(place.layer)].heads;
  if (place.index >= static_cast<int>(heads.size())) return std::nullopt;
  const QRectF rect(all.rowStart(place.layer) + QPointF(place.index * all.pitch.width(), 0),
                    all.cell);
  if (!rect.contains(at)) return std::nullopt;
  place.at = {(at.x() - rect.left()) / rect.width(), (at.y() - rect.top()) / rect.height()};
  return place;
}

void HeadWallView::paintRow(QPainter& painter, const Parts& all, int layer) const {
  const HeadThumbnails& row = rows_[static_cast<std::size_t>(layer)];
  const FigureStyle style = screenStyle(*this);
  const QFontMetricsF small(style.small);
  QRectF cell(all.rowStart(layer), all.cell);
  painter.setPen(layer == chosenLayer_ ? style.text : style.muted);
  painter.setFont(style.small);
  const QRectF name(cell.left() - all.names, cell.top(), all.names - wallMargin / 2.0,
                    cell.height());
  const bool everyName = all.pitch.height() >= 0.8 * small.height();
  if (everyName || layer % 5 == 0) {
    painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                     small.elidedText(row.layer, Qt::ElideMiddle, name.width()));
  }
  for (const HeadThumbnail& head : row.heads) {
    const bool shrinks = head.image.width() > cell.width();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, shrinks);
    painter.setOpacity(head.strength);
    painter.drawImage(cell, head.image);
    painter.setOpacity(1);
    // The middle colour of signed maps is close to that of a light page.
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(style.frame, 0));
    painter.drawRect(cell);
    if (head.query) {
      const QPointF at(cell.left() + head.query->x() * cell.width(),
                       cell.top() + head.query->y() * cell.height());
      const QRectF dot(at.x() - queryDot / 2, at.y() - queryDot / 2, queryDot, queryDot);
      painter.fillRect(dot, Qt::black);
      painter.fillRect(dot.adjusted(1, 1, -1, -1), Qt::white);
    }
    if (head.isCollected) paintCollected(painter, cell);
    if (row.isSorted) paintNumber(painter, cell, head.head, style.ground, style.text);
    cell.translate(all.pitch.width(), 0);
  }
}

void HeadWallView::paintCollected(QPainter& painter, const QRectF& cell) const {
  const QColor color = palette().color(QPalette::Highlight);
  painter.setBrush(Qt::NoBrush);
  // White inside, so that the frame is seen on maps of any colour.
  painter.setPen(QPen(color, 2));
  painter.drawRect(cell.adjusted(1, 1, -1, -1));
  painter.setPen(QPen(Qt::white, 1));
  painter.drawRect(cell.adjusted(2.5, 2.5, -2.5, -2.5));
  if (std::min(cell.width(), cell.height()) < 2 * collectedMark) return;
  const QRectF mark(cell.right() - collectedMark - 4, cell.top() + 4, collectedMark, collectedMark);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Qt::white, 1));
  painter.setBrush(color);
  painter.drawEllipse(mark);
  painter.setPen(QPen(palette().color(QPalette::HighlightedText), 2));
  const auto at = [&mark](double x, double y) {
    return mark.topLeft() + QPointF(x * mark.width(), y * mark.height());
  };
  const QPointF tick[] = {at(0.27, 0.52), at(0.44, 0.69), at(0.74, 0.34)};
  painter.drawPolyline(tick, 3);
  painter.restore();
}

void HeadWallView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Parts all = parts();
  for (int layer = 0; layer < static_cast<int>(rows_.size()); ++layer) {
    paintRow(painter, all, layer);
  }
  if (showsCloser()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(closer_->geometry()).adjusted(-2, -2, 2, 2));
  }
  if (!under_) return;
  const QRectF rect = thumbnailRect(under_->layer, under_->index);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect.adjusted(-1, -1, 1, 1));
  const auto& heads = rows_[static_cast<std::size_t>(under_->layer)].heads;
  painter.setFont(font());
  paintNumber(painter, rect, heads[static_cast<std::size_t>(under_->index)].head,
              palette().color(QPalette::Highlight), palette().color(QPalette::HighlightedText));
}

void HeadWallView::paintNumber(QPainter& painter, const QRectF& cell, int head,
                               const QColor& ground, const QColor& text) const {
  if (cell.width() < numberedThumbnail) return;
  const QString number = QString::number(head);
  const QFontMetricsF metrics(painter.font());
  const QRectF label(cell.left(), cell.top(), metrics.horizontalAdvance(number) + 6,
                     metrics.height());
  painter.fillRect(label, ground);
  painter.setPen(text);
  painter.drawText(label, Qt::AlignCenter, number);
}

void HeadWallView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto place = placeAt(event->position());
  if (showsCloser()) {
    Q_EMIT closeWanted();
  } else if (place && event->modifiers() & Qt::ShiftModifier) {
    Q_EMIT collectWanted(place->layer, place->index);
  } else if (place) {
    Q_EMIT chosen(place->layer, place->index);
  }
}

void HeadWallView::mouseMoveEvent(QMouseEvent* event) {
  const auto before = under_;
  under_ = placeAt(event->position());
  setCursor(under_ ? Qt::PointingHandCursor : Qt::ArrowCursor);
  const bool moved = before.has_value() != under_.has_value() ||
                     (before && (before->layer != under_->layer || before->index != under_->index));
  if (moved) update();
  if (under_) {
    Q_EMIT hovered(*under_);
  } else {
    Q_EMIT left();
  }
}

void HeadWallView::moveFrame(int layers, int heads) {
  if (rows_.empty()) return;
  const int last = static_cast<int>(rows_.size()) - 1;
  if (!under_ || under_->layer > last) {
    under_ = WallPlace{std::clamp(chosenLayer_, 0, last), 0, {0.5, 0.5}};
  } else {
    under_->layer = std::clamp(under_->layer + layers, 0, last);
    under_->index += heads;
    under_->at = {0.5, 0.5};
  }
  const auto count = static_cast<int>(rows_[static_cast<std::size_t>(under_->layer)].heads.size());
  under_->index = std::clamp(under_->index, 0, std::max(0, count - 1));
  if (count == 0) under_.reset();
  update();
  if (under_) Q_EMIT hovered(*under_);
}

void HeadWallView::leaveEvent(QEvent*) {
  under_.reset();
  update();
  Q_EMIT left();
}

bool HeadWallView::event(QEvent* event) {
  // Esc closes what is shown large, before it means anything to the window.
  if (event->type() == QEvent::ShortcutOverride && showsCloser() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

void HeadWallView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && showsCloser()) {
    Q_EMIT closeWanted();
  } else if (under_ && event->key() == Qt::Key_Space) {
    Q_EMIT collectWanted(under_->layer, under_->index);
  } else if (under_ && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
    Q_EMIT chosen(under_->layer, under_->index);
  } else if (const auto step = arrowStep(*event);
             step && event->modifiers() & Qt::ControlModifier) {
    moveFrame(std::clamp(step->rows, -1, 1), std::clamp(step->columns, -1, 1));
  } else if (step) {
    Q_EMIT stepped(step->rows, step->columns);
  } else {
    QWidget::keyPressEvent(event);
  }
}

void HeadWallView::resizeEvent(QResizeEvent*) {
  if (!closer_) return;
  constexpr double shown = 0.8;
  const QSize size(static_cast<int>(width() * shown), static_cast<int>(height() * shown));
  closer_->setGeometry(
      QRect(QPoint((width() - size.width()) / 2, (height() - size.height()) / 2), size));
}

}  // namespace softscope
