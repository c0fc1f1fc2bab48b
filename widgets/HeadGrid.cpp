#include "widgets/HeadGrid.h"

#include "widgets/ArrowKeys.h"
#include "widgets/ColorBarView.h"
#include "widgets/HeadPanelView.h"
#include "widgets/Theme.h"

#include <QtGui/QKeyEvent>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr int margin = 12;
constexpr int gap = 14;
constexpr int narrowest = 120;

}  // namespace

HeadGrid::HeadGrid(QWidget* parent)
    : QWidget(parent),
      scroll_(new QScrollArea(this)),
      canvas_(new QWidget),
      sharedBar_(new ColorBarView(this)) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Heads"));
  setAccessibleDescription(tr("What each head attends to. Arrow keys step the query one patch."));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setWidget(canvas_);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setAccessibleName(tr("Heads"));
  scroll_->viewport()->installEventFilter(this);
  canvas_->setAccessibleName(tr("Heads"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(scroll_, 1);
  column->addWidget(sharedBar_);
  sharedBar_->hide();
}

void HeadGrid::setPanels(std::vector<HeadPanel> panels,
                         std::shared_ptr<const CroppedPicture> picture) {
  const bool sameShape = panels.size() == views_.size() && picture == picture_ &&
                         (panels.empty() || panels.front().colorBar == ownBars_);
  picture_ = std::move(picture);
  ownBars_ = panels.empty() || panels.front().colorBar;
  makeViews(panels.size());
  if (!ownBars_) sharedBar_->setRange(panels.front().range, *panels.front().heat.colors);
  sharedBar_->setVisible(!ownBars_);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    views_[i]->setPanel(std::move(panels[i]), picture_);
  }
  if (!sameShape) arrange();
}

const Vector& HeadGrid::displayedValues(int index) const {
  return view(index).panel().values.patches;
}

void HeadGrid::makeViews(std::size_t count) {
  while (views_.size() > count) {
    delete views_.back();
    views_.pop_back();
  }
  while (views_.size() < count) {
    auto* view = new HeadPanelView(canvas_);
    const int index = static_cast<int>(views_.size());
    connect(view, &HeadPanelView::pressed, this, &HeadGrid::pressed);
    connect(view, &HeadPanelView::dragged, this, &HeadGrid::dragged);
    connect(view, &HeadPanelView::pinned, this, &HeadGrid::pinned);
    connect(view, &HeadPanelView::zoomed, this, &HeadGrid::zoomed);
    connect(view, &HeadPanelView::panned, this, &HeadGrid::panned);
    connect(view, &HeadPanelView::left, this, &HeadGrid::left);
    connect(view, &HeadPanelView::hovered, this,
            [this, index](int row, int column) { Q_EMIT hovered(index, row, column); });
    views_.push_back(view);
  }
}

void HeadGrid::arrange() {
  if (views_.empty() || !picture_) return;
  const FigureStyle style = screenStyle(*this);
  const int overhead = static_cast<int>(std::ceil(headPanelOverhead(style, ownBars_)));
  const QSize viewport = scroll_->viewport()->size();
  const QSize room(viewport.width() - 2 * margin, viewport.height() - 2 * margin);
  const GridArrangement grid =
      arrangeGrid(count(), room, picture_->aspect(), overhead, gap, narrowest);

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
    views_[std::size_t(i)]->setGeometry(left + (i % grid.columns) * (grid.width + gap),
                                        margin + (i / grid.columns) * (grid.height + gap),
                                        grid.width, grid.height);
    views_[std::size_t(i)]->setWheelZooms(fits);
    views_[std::size_t(i)]->show();
  }
}

void HeadGrid::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

bool HeadGrid::eventFilter(QObject* watched, QEvent* event) {
  // The scroll bar and the shared bar change the viewport without changing this widget.
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) arrange();
  return QWidget::eventFilter(watched, event);
}

void HeadGrid::keyPressEvent(QKeyEvent* event) {
  if (const auto step = arrowStep(*event)) {
    Q_EMIT stepped(step->rows, step->columns);
    return;
  }
  QWidget::keyPressEvent(event);
}

GridArrangement arrangeGrid(int count, QSize room, double aspect, int overhead, int space,
                            int least) {
  GridArrangement best;
  best.width = 0;
  for (int columns = 1; columns <= count; ++columns) {
    const int lines = (count + columns - 1) / columns;
    const int across = (room.width() - (columns - 1) * space) / columns;
    const int down = (room.height() - (lines - 1) * space) / lines - overhead;
    const int width = std::min(across, static_cast<int>(down * aspect));
    if (width > best.width) best = {columns, width, 0};
  }
  if (best.width < least) {
    best.columns = std::clamp((room.width() + space) / (least + space), 1, std::max(1, count));
    best.width = std::max(1, (room.width() - (best.columns - 1) * space) / best.columns);
  }
  best.height = static_cast<int>(std::ceil(best.width / aspect)) + overhead;
  return best;
}

}  // namespace softscope
