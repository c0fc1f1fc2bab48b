#include "widgets/views/HeadWallView.h"

#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/Theme.h"
#include "widgets/paint/PanelText.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QStyle>

#include <algorithm>
#include <cmath>
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

HeadWallView::HeadWallView(QWidget* parent) : QAbstractScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  viewport()->setAutoFillBackground(false);
  viewport()->setMouseTracking(true);
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
  fitScrollBars();
  viewport()->update();
}

void HeadWallView::setChosenLayer(int layer) {
  if (layer == chosenLayer_) return;
  chosenLayer_ = layer;
  if (layer >= 0 && layer < static_cast<int>(rows_.size())) bringInSight(layer, 0);
  viewport()->update();
}

void HeadWallView::setEnlarged(QWidget* panel) {
  enlarged_ = panel;
  enlarged_->setParent(viewport());
  enlarged_->hide();
}

bool HeadWallView::showsEnlarged() const {
  return enlarged_ && !enlarged_->isHidden();
}

QPointF HeadWallView::Parts::rowStart(int layer) const {
  const int column = layer / rows;
  return corner + QPointF(names + column * columnWidth, layer % rows * pitch.height());
}

HeadWallView::Parts HeadWallView::partsIn(const QSizeF& room, int columns, double names, int heads,
                                          double least) const {
  const int layers = std::max(1, static_cast<int>(rows_.size()));
  Parts parts;
  parts.names = names;
  parts.rows = (layers + columns - 1) / columns;
  const double gaps = columnGap * (columns - 1);
  const double across = ((room.width() - 2 * wallMargin - gaps) / columns - names) / heads;
  const double down = (room.height() - 2.0 * wallMargin) / parts.rows;
  const double cell =
      std::max(least, std::min(across - thumbnailGap, (down - thumbnailGap) * aspect_));
  parts.cell = {cell, cell / aspect_};
  parts.pitch = parts.cell + QSizeF(thumbnailGap, thumbnailGap);
  parts.columnWidth = names + heads * parts.pitch.width() + columnGap;
  parts.whole = {parts.columnWidth * columns - columnGap, parts.rows * parts.pitch.height()};
  parts.corner = {std::max<double>(wallMargin, (room.width() - parts.whole.width()) / 2),
                  std::max<double>(wallMargin, (room.height() - parts.whole.height()) / 2)};
  return parts;
}

HeadWallView::Parts HeadWallView::fittingParts() const {
  QSizeF room = maximumViewportSize();
  const QFontMetricsF small(screenStyle(*this).small);
  double names = 0;
  std::size_t most = 1;
  for (const HeadThumbnails& row : rows_) {
    names = std::max(names, small.horizontalAdvance(row.layer));
    most = std::max(most, row.heads.size());
  }
  names = std::min(names, room.width() / 4) + wallMargin / 2.0;
  const auto heads = static_cast<int>(most);
  const auto layers = static_cast<int>(rows_.size());
  Parts best = partsIn(room, 1, names, heads, 0);
  for (int columns = 2; columns <= layers; ++columns) {
    const Parts parts = partsIn(room, columns, names, heads, 0);
    // One column reads best, and is left only for thumbnails that are clearly larger, or large
    // enough at all.
    const double worth = best.cell.width() < smallestThumbnail ? 1 : worthAColumn;
    if (parts.cell.width() > worth * best.cell.width()) best = parts;
  }
  if (best.cell.width() >= smallestThumbnail) return best;
  // The wall is scrolled, with as many columns beside each other as there is room for.
  room.rwidth() -= style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
  best = partsIn(room, 1, names, heads, smallestThumbnail);
  for (int columns = 2; columns <= layers; ++columns) {
    const Parts parts = partsIn(room, columns, names, heads, smallestThumbnail);
    if (parts.whole.width() > room.width() - 2 * wallMargin) break;
    best = parts;
  }
  return best;
}

HeadWallView::Parts HeadWallView::parts() const {
  Parts parts = fittingParts();
  parts.corner -= QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value());
  return parts;
}

void HeadWallView::fitScrollBars() {
  const Parts all = fittingParts();
  const auto fit = [](QScrollBar& bar, double whole, int room, double step) {
    bar.setRange(0, std::max(0, static_cast<int>(std::ceil(whole)) + 2 * wallMargin - room));
    bar.setPageStep(room);
    bar.setSingleStep(std::max(1, static_cast<int>(step)));
  };
  // A wall that fits is as large as the room; its rounding is no reason to scroll.
  const bool fits = all.cell.width() > smallestThumbnail;
  fit(*horizontalScrollBar(), fits ? 0 : all.whole.width(), viewport()->width(), all.pitch.width());
  fit(*verticalScrollBar(), fits ? 0 : all.whole.height(), viewport()->height(),
      all.pitch.height());
}

void HeadWallView::bringInSight(int layer, int index) {
  const Parts all = parts();
  const QRectF rect = thumbnailRect(layer, index);
  const auto bring = [](QScrollBar& bar, double first, double last, double before, int room) {
    const double over = last + wallMargin - room;
    const double under = first - wallMargin - before;
    if (under < 0) {
      bar.setValue(bar.value() + static_cast<int>(std::floor(under)));
    } else if (over > 0) {
      bar.setValue(bar.value() + static_cast<int>(std::ceil(std::min(over, under))));
    }
  };
  bring(*horizontalScrollBar(), rect.left(), rect.right(), all.names, viewport()->width());
  bring(*verticalScrollBar(), rect.top(), rect.bottom(), 0, viewport()->height());
}

QRectF HeadWallView::thumbnailRect(int layer, int index) const {
  const Parts all = parts();
  return {all.rowStart(layer) + QPointF(index * all.pitch.width(), 0), all.cell};
}

std::optional<WallPlace> HeadWallView::placeAt(const QPointF& at) const {
  if (rows_.empty()) return std::nullopt;
  const Parts all = parts();
  if (at.x() < pinnedNames(all)) return std::nullopt;
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

double HeadWallView::pinnedNames(const Parts& all) const {
  return horizontalScrollBar()->value() > 0 ? wallMargin + all.names : 0;
}

void HeadWallView::paintName(QPainter& painter, const Parts& all, int layer) const {
  const FigureStyle style = screenStyle(*this);
  const QFontMetricsF small(style.small);
  if (layer % 5 != 0 && all.pitch.height() < 0.8 * small.height()) return;
  const QString& layerName = rows_[static_cast<std::size_t>(layer)].layer;
  const QPointF start = all.rowStart(layer);
  // Names stay while heads are scrolled behind them.
  const QRectF name(start.x() - all.names + horizontalScrollBar()->value(), start.y(),
                    all.names - wallMargin / 2.0, all.cell.height());
  painter.setPen(layer == chosenLayer_ ? style.text : style.muted);
  painter.setFont(style.small);
  painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                   small.elidedText(layerName, Qt::ElideMiddle, name.width()));
}

void HeadWallView::paintHeads(QPainter& painter, const Parts& all, int layer) const {
  const HeadThumbnails& row = rows_[static_cast<std::size_t>(layer)];
  const FigureStyle style = screenStyle(*this);
  QRectF cell(all.rowStart(layer), all.cell);
  painter.setFont(style.small);
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
  QPainter painter(viewport());
  const Parts all = parts();
  const auto layers = static_cast<int>(rows_.size());
  for (int layer = 0; layer < layers; ++layer) paintHeads(painter, all, layer);
  paintFrame(painter);
  painter.fillRect(QRectF(0, 0, pinnedNames(all), viewport()->height()),
                   palette().color(QPalette::Window));
  for (int layer = 0; layer < layers; ++layer) paintName(painter, all, layer);
  if (!showsEnlarged()) return;
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(enlarged_->geometry()).adjusted(-2, -2, 2, 2));
}

void HeadWallView::paintFrame(QPainter& painter) const {
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
  if (showsEnlarged()) {
    Q_EMIT closeWanted();
  } else if (place && event->modifiers() & Qt::ShiftModifier) {
    Q_EMIT collectWanted(place->layer, place->index);
  } else if (place) {
    Q_EMIT chosen(place->layer, place->index);
  }
}

void HeadWallView::mouseReleaseEvent(QMouseEvent* event) {
  // It ends a press that was taken here; the widgets around have no use for it.
  event->accept();
}

void HeadWallView::mouseMoveEvent(QMouseEvent* event) {
  const auto before = under_;
  under_ = placeAt(event->position());
  viewport()->setCursor(under_ ? Qt::PointingHandCursor : Qt::ArrowCursor);
  const bool moved = before.has_value() != under_.has_value() ||
                     (before && (before->layer != under_->layer || before->index != under_->index));
  if (moved) viewport()->update();
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
  if (under_) bringInSight(under_->layer, under_->index);
  viewport()->update();
  if (under_) Q_EMIT hovered(*under_);
}

void HeadWallView::leaveEvent(QEvent*) {
  under_.reset();
  viewport()->update();
  Q_EMIT left();
}

bool HeadWallView::event(QEvent* event) {
  // Esc closes what is shown large, before it means anything to the window.
  if (event->type() == QEvent::ShortcutOverride && showsEnlarged() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QAbstractScrollArea::event(event);
}

void HeadWallView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && showsEnlarged()) {
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
    QAbstractScrollArea::keyPressEvent(event);
  }
}

void HeadWallView::resizeEvent(QResizeEvent*) {
  fitScrollBars();
  if (!enlarged_) return;
  constexpr double shown = 0.8;
  const QSize room = viewport()->size();
  const QSize size = room * shown;
  enlarged_->setGeometry(
      QRect(QPoint((room.width() - size.width()) / 2, (room.height() - size.height()) / 2), size));
}

}  // namespace softscope
