#include "widgets/views/PanelGrid.h"

#include "widgets/controls/ArrowKeys.h"
#include "widgets/controls/ScrolledContent.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <vector>

namespace softscope {
namespace {

constexpr int gridMargin = 12;
constexpr int gridGap = 14;
constexpr int frame = 2;

}  // namespace

PanelGrid::PanelGrid(const QString& name, int narrowest, QWidget* parent)
    : QWidget(parent),
      scroll_(new QScrollArea(this)),
      canvas_(new QWidget),
      column_(new QVBoxLayout(this)),
      narrowest_(narrowest) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(name);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(canvas_);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setAccessibleName(name);
  scroll_->viewport()->installEventFilter(this);
  canvas_->setAccessibleName(name);
  column_->setContentsMargins(frame, frame, frame, frame);
  column_->setSpacing(0);
  column_->addWidget(scroll_, 1);
}

void PanelGrid::addBelow(QWidget* widget) {
  column_->addWidget(widget);
}

void PanelGrid::arrange() {
  const Shape panels = shape();
  if (panels.count == 0) return;
  // Whether panels fit is judged by the room without a scroll bar. In what a bar leaves, smaller
  // panels may fit, and without it no longer, so that it would come and go for ever.
  const QSize whole = scroll_->contentsRect().size();
  const bool fits = heightOf(panels, arranged(panels, whole)) <= whole.height();
  const QSize before = scroll_->viewport()->size();
  scroll_->setVerticalScrollBarPolicy(fits ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAlwaysOn);
  // If the scroll bar's change has resized the viewport, its resize event has already arranged the
  // panels.
  const QSize viewport = scroll_->viewport()->size();
  if (viewport != before) return;
  const GridArrangement grid = arranged(panels, viewport);
  const int width = grid.columns * grid.width + (grid.columns - 1) * gridGap;
  const int left = std::max(gridMargin, (viewport.width() - width) / 2);
  canvas_->resize(viewport.width(), std::max(viewport.height(), heightOf(panels, grid)));
  const bool isWhole = fits && !ScrolledContent::isScrolled(*this);
  for (int i = 0; i < panels.count; ++i) {
    const QPoint corner(left + (i % grid.columns) * (grid.width + gridGap),
                        gridMargin + (i / grid.columns) * (grid.height + gridGap));
    place(i, {corner, QSize(grid.width, grid.height)}, isWhole);
  }
}

int PanelGrid::heightIn(const QSize& room) const {
  const Shape panels = shape();
  if (panels.count == 0) return room.height();
  const GridArrangement grid = arranged(panels, room - QSize(2 * frame, 2 * frame));
  return std::min(room.height(), heightOf(panels, grid) + 2 * frame);
}

int PanelGrid::leastHeight(int width) const {
  const Shape panels = shape();
  if (panels.count == 0) return 0;
  const int room = width - 2 * (gridMargin + frame);
  GridArrangement smallest;
  smallest.columns = std::clamp((room + gridGap) / (narrowest_ + gridGap), 1, panels.count);
  smallest.height = static_cast<int>(std::ceil(narrowest_ / panels.aspect)) + panels.overhead;
  return heightOf(panels, smallest) + 2 * frame;
}

GridArrangement PanelGrid::arranged(const Shape& panels, const QSize& room) const {
  return arrangeGrid(panels.count, room - QSize(2 * gridMargin, 2 * gridMargin), panels.aspect,
                     panels.overhead, gridGap, narrowest_);
}

int PanelGrid::heightOf(const Shape& panels, const GridArrangement& grid) {
  const int lines = (panels.count + grid.columns - 1) / grid.columns;
  return lines * grid.height + (lines - 1) * gridGap + 2 * gridMargin;
}

void PanelGrid::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

bool PanelGrid::eventFilter(QObject* watched, QEvent* event) {
  // The scroll bar and widgets below change the size of the viewport but not of this widget.
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) arrange();
  return QWidget::eventFilter(watched, event);
}

void PanelGrid::keyPressEvent(QKeyEvent* event) {
  if (const auto step = arrowStep(*event)) {
    Q_EMIT stepped(step->rows, step->columns);
    return;
  }
  QWidget::keyPressEvent(event);
}

void PanelGrid::focusInEvent(QFocusEvent* event) {
  const Qt::FocusReason reason = event->reason();
  framed_ = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason;
  QWidget::focusInEvent(event);
}

void PanelGrid::focusOutEvent(QFocusEvent* event) {
  framed_ = false;
  QWidget::focusOutEvent(event);
}

void PanelGrid::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  if (!framed_) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(palette().color(QPalette::Highlight), frame));
  const double inset = frame / 2.0;
  painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), frame, frame);
}

GridArrangement arrangeGrid(int count, QSize room, double aspect, int overhead, int space,
                            int least) {
  // Nearly as large as the largest are images of so much of its width.
  constexpr double nearly = 0.93;
  std::vector<GridArrangement> all;
  int largest = 0;
  for (int columns = 1; columns <= count; ++columns) {
    const int lines = (count + columns - 1) / columns;
    const int across = (room.width() - (columns - 1) * space) / columns;
    const int down = (room.height() - (lines - 1) * space) / lines - overhead;
    const int width = std::min(across, static_cast<int>(down * aspect));
    all.push_back({columns, width, static_cast<int>(std::ceil(width / aspect)) + overhead});
    largest = std::max(largest, width);
  }
  GridArrangement best;
  best.width = 0;
  double fullest = 0;
  for (const GridArrangement& tried : all) {
    if (tried.width < nearly * largest) continue;
    const int lines = (count + tried.columns - 1) / tried.columns;
    const double filled = double(tried.columns) * tried.width * lines * tried.height;
    if (filled <= fullest) continue;
    fullest = filled;
    best = tried;
  }
  if (best.width < least) {
    best.columns = std::clamp((room.width() + space) / (least + space), 1, std::max(1, count));
    best.width = std::max(1, (room.width() - (best.columns - 1) * space) / best.columns);
  }
  best.height = static_cast<int>(std::ceil(best.width / aspect)) + overhead;
  return best;
}

}  // namespace softscope
