#include "widgets/views/HeadGrid.h"

#include "widgets/controls/Theme.h"
#include "widgets/paint/ColorBarPainter.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/HeadPanelView.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr int widest = 360;
constexpr int barMargin = 12;

constexpr int narrowestHead = 120;

}  // namespace

ColorBarView::ColorBarView(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Colour bar"));
}

void ColorBarView::setRange(const ValueRange& range, const ColorMap& colors) {
  range_ = range;
  colors_ = &colors;
  setAccessibleDescription(tr("from %1 to %2").arg(valueText(range.low), valueText(range.high)));
  update();
}

QSize ColorBarView::sizeHint() const {
  return {widest, static_cast<int>(std::ceil(colorBarHeight(screenStyle(*this)))) + barMargin};
}

void ColorBarView::paintEvent(QPaintEvent*) {
  if (!colors_) return;
  QPainter painter(this);
  const int length = std::min(widest, width() - 2 * barMargin);
  const QRectF place((width() - length) / 2, 2, length, height() - barMargin);
  paintColorBar(painter, place, range_, *colors_, screenStyle(*this));
}

HeadGrid::HeadGrid(QWidget* parent)
    : PanelGrid(tr("Heads"), narrowestHead, parent), sharedBar_(new ColorBarView(this)) {
  setAccessibleDescription(tr("What each head attends to. Arrow keys step the query one patch."));
  addBelow(sharedBar_);
  sharedBar_->hide();
}

void HeadGrid::setPanels(std::vector<HeadPanel> panels,
                         std::shared_ptr<const CroppedPicture> picture) {
  const std::vector<std::shared_ptr<const CroppedPicture>> pictures(
      std::max<std::size_t>(panels.size(), 1), picture);
  setPanels(std::move(panels), pictures);
}

void HeadGrid::setPanels(std::vector<HeadPanel> panels,
                         const std::vector<std::shared_ptr<const CroppedPicture>>& pictures) {
  const bool sameShape = panels.size() == views_.size() && pictures.front() == picture_ &&
                         (panels.empty() || panels.front().colorBar == ownBars_);
  picture_ = pictures.front();
  ownBars_ = panels.empty() || panels.front().colorBar;
  makeViews(panels.size());
  // Panels that consist of colours have no range.
  const bool sharesBar = !ownBars_ && panels.front().colors.size() == 0;
  if (sharesBar) sharedBar_->setRange(panels.front().range, *panels.front().heat.colors);
  sharedBar_->setVisible(sharesBar);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    views_[i]->setPanel(std::move(panels[i]), pictures[i]);
  }
  if (!sameShape) arrange();
}

const Vector& HeadGrid::displayedValues(int index) const {
  return view(index).panel().values.patches;
}

void HeadGrid::makeViews(std::size_t count) {
  resizeViews(views_, count, [this](int index) {
    auto* view = new HeadPanelView(canvas());
    connect(view, &HeadPanelView::pressed, this, &HeadGrid::pressed);
    connect(view, &HeadPanelView::dragged, this, &HeadGrid::dragged);
    connect(view, &HeadPanelView::pinned, this, &HeadGrid::pinned);
    connect(view, &HeadPanelView::zoomed, this, &HeadGrid::zoomed);
    connect(view, &HeadPanelView::panned, this, &HeadGrid::panned);
    connect(view, &HeadPanelView::left, this, &HeadGrid::left);
    connect(view, &HeadPanelView::chosen, this,
            [this, index](bool asked) { Q_EMIT chosen(index, asked); });
    connect(view, &HeadPanelView::menuWanted, this,
            [this, index](const QPoint& globalPlace, const QPointF& place) {
              Q_EMIT menuWanted(index, globalPlace, place);
            });
    connect(view, &HeadPanelView::hovered, this,
            [this, index](int row, int column) { Q_EMIT hovered(index, row, column); });
    return view;
  });
}

PanelGrid::Shape HeadGrid::shape() const {
  if (!picture_) return {};
  const double overhead = headPanelOverhead(screenStyle(*this), ownBars_);
  return {count(), picture_->aspect(), static_cast<int>(std::ceil(overhead))};
}

void HeadGrid::place(int index, const QRect& place, bool fits) {
  view(index).setGeometry(place);
  view(index).setWheelZooms(fits);
  view(index).show();
}

}  // namespace softscope
