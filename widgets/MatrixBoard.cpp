#include "widgets/MatrixBoard.h"

#include "widgets/ArrowKeys.h"
#include "widgets/HeadGrid.h"
#include "widgets/MatrixView.h"
#include "widgets/Theme.h"

#include <QtGui/QKeyEvent>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr int margin = 12;
constexpr int gap = 14;
constexpr int narrowest = 170;

}  // namespace

MatrixBoard::MatrixBoard(QWidget* parent)
    : QWidget(parent), scroll_(new QScrollArea(this)), canvas_(new QWidget) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Attention matrices"));
  setAccessibleDescription(
      tr("Keys across, queries down. Click a row to ask about its query; arrow keys step the query "
         "one patch."));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(canvas_);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setAccessibleName(tr("Attention matrices"));
  scroll_->viewport()->installEventFilter(this);
  canvas_->setAccessibleName(tr("Attention matrices"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(scroll_);
}

void MatrixBoard::setPanels(std::vector<MatrixPanel> panels) {
  const double aspect =
      panels.empty() ? 1 : matrixAspect(panels.front().queries, panels.front().keys);
  const bool sameShape = panels.size() == views_.size() && aspect == aspect_;
  aspect_ = aspect;
  makeViews(panels.size());
  for (std::size_t i = 0; i < panels.size(); ++i) views_[i]->setPanel(std::move(panels[i]));
  if (!sameShape) arrange();
}

void MatrixBoard::makeViews(std::size_t count) {
  while (views_.size() > count) {
    // It may be what asked for this.
    views_.back()->hide();
    views_.back()->deleteLater();
    views_.pop_back();
  }
  while (views_.size() < count) {
    auto* view = new MatrixView(canvas_);
    const int index = static_cast<int>(views_.size());
    connect(view, &MatrixView::left, this, &MatrixBoard::left);
    connect(view, &MatrixView::panned, this, &MatrixBoard::panned);
    connect(view, &MatrixView::hovered, this,
            [this, index](int row, int column) { Q_EMIT hovered(index, row, column); });
    connect(view, &MatrixView::chosen, this,
            [this, index](int row, int column) { Q_EMIT chosen(index, row, column); });
    connect(view, &MatrixView::zoomed, this, [this, index](double factor, const QPointF& about) {
      Q_EMIT zoomed(index, factor, about);
    });
    views_.push_back(view);
  }
}

void MatrixBoard::arrange() {
  if (views_.empty() || !isVisible()) return;
  const int overhead = static_cast<int>(std::ceil(headPanelOverhead(screenStyle(*this), true)));
  const QSize viewport = scroll_->viewport()->size();
  const QSize room(viewport.width() - 2 * margin, viewport.height() - 2 * margin);
  const GridArrangement grid = arrangeGrid(count(), room, aspect_, overhead, gap, narrowest);
  const int lines = (count() + grid.columns - 1) / grid.columns;
  const int width = grid.columns * grid.width + (grid.columns - 1) * gap;
  const int height = lines * grid.height + (lines - 1) * gap;
  const int left = std::max(margin, (viewport.width() - width) / 2);
  const bool fits = height + 2 * margin <= viewport.height();
  scroll_->setVerticalScrollBarPolicy(fits ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAlwaysOn);
  // Then the viewport's own resize has arranged the panels in what is left.
  if (scroll_->viewport()->size() != viewport) return;
  canvas_->resize(viewport.width(), std::max(viewport.height(), height + 2 * margin));
  for (int i = 0; i < count(); ++i) {
    view(i).setGeometry(left + (i % grid.columns) * (grid.width + gap),
                        margin + (i / grid.columns) * (grid.height + gap), grid.width, grid.height);
    view(i).setWheelZooms(fits);
    view(i).show();
  }
}

void MatrixBoard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

bool MatrixBoard::eventFilter(QObject* watched, QEvent* event) {
  // The scroll bar changes the viewport without changing this widget.
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) arrange();
  return QWidget::eventFilter(watched, event);
}

void MatrixBoard::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // Its parts have their sizes only once everything that becomes visible with it has.
  QMetaObject::invokeMethod(this, &MatrixBoard::arrange, Qt::QueuedConnection);
}

void MatrixBoard::keyPressEvent(QKeyEvent* event) {
  if (const auto step = arrowStep(*event)) {
    Q_EMIT stepped(step->rows, step->columns);
    return;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace softscope
