#include "widgets/views/LayerHeadView.h"

#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/Theme.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <algorithm>

namespace softscope {
namespace {

constexpr int cellMargin = 14;

}  // namespace

LayerHeadView::LayerHeadView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Layers and heads"));
  setAccessibleDescription(tr("Click a cell to go to that layer; arrow keys and Enter do too."));
}

void LayerHeadView::setMap(LayerHeadMap map) {
  map_ = std::move(map);
  walked_.reset();
  update();
}

void LayerHeadView::setChosenLayer(int layer) {
  chosenLayer_ = layer;
  walked_.reset();
  update();
}

LayerHeadLayout LayerHeadView::parts() const {
  return layoutLayerHeadMap(
      QRectF(rect()).adjusted(cellMargin, cellMargin / 2, -cellMargin, -cellMargin), map_,
      screenStyle(*this), CellGrowth::Page);
}

QPointF LayerHeadView::centreOf(int layer, int head) const {
  const LayerHeadLayout layout = parts();
  const double left =
      head < 0 ? layout.whole.left() : layout.cells.left() + head * layout.cell.width();
  return {left + layout.cell.width() / 2,
          layout.cells.top() + (layer + 0.5) * layout.cell.height()};
}

void LayerHeadView::paintEvent(QPaintEvent*) {
  if (map_.layers.isEmpty()) return;
  QPainter painter(this);
  std::optional<QPoint> framed = walked_;
  const bool known = chosenLayer_ >= 0 && chosenLayer_ < map_.layers.size();
  if (!framed && known) framed = QPoint(-1, chosenLayer_);
  paintLayerHeadMap(painter, parts(), map_, screenStyle(*this), framed);
}

void LayerHeadView::mousePressEvent(QMouseEvent* event) {
  const auto cell = cellAt(parts(), map_, event->position());
  if (cell && event->button() == Qt::LeftButton) Q_EMIT chosen(cell->y(), cell->x());
}

void LayerHeadView::mouseMoveEvent(QMouseEvent* event) {
  const auto cell = cellAt(parts(), map_, event->position());
  setCursor(cell ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (cell) {
    Q_EMIT hovered(cell->y(), cell->x());
  } else {
    Q_EMIT left();
  }
}

void LayerHeadView::leaveEvent(QEvent*) {
  Q_EMIT left();
}

void LayerHeadView::keyPressEvent(QKeyEvent* event) {
  const auto step = arrowStep(*event);
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (map_.layers.isEmpty() || (!step && !enter)) {
    QWidget::keyPressEvent(event);
    return;
  }
  QPoint cell = walked_.value_or(QPoint(0, std::max(0, chosenLayer_)));
  if (enter) {
    Q_EMIT chosen(cell.y(), cell.x());
    return;
  }
  cell.ry() = std::clamp(cell.y() + step->rows, 0, static_cast<int>(map_.layers.size()) - 1);
  const auto heads = static_cast<int>(map_.values[static_cast<std::size_t>(cell.y())].size());
  const int first = map_.whole.empty() ? 0 : -1;
  cell.rx() = std::clamp(cell.x() + step->columns, first, std::max(first, heads - 1));
  walked_ = cell;
  Q_EMIT hovered(cell.y(), cell.x());
  update();
}

}  // namespace softscope
