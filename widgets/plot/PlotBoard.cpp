#include "widgets/plot/PlotBoard.h"

#include "widgets/controls/ScrolledContent.h"
#include "widgets/controls/Theme.h"
#include "widgets/plot/LabelRoom.h"
#include "widgets/plot/LegendView.h"
#include "widgets/plot/PlotCanvas.h"
#include "widgets/plot/PlotPainter.h"
#include "widgets/plot/PlotView.h"

#include <QtCore/QEvent>
#include <QtGui/QFontMetricsF>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr QSize lowest(220, 120);

/// Returns the smallest width of plots side by side, in pixels: with room for the title, for the
/// axis's numbers, for each name below an axis and each box, and for labels beside curves. A title
/// that is longer than most is shortened instead.
int narrowest(const std::vector<Plot>& plots, const FigureStyle& style) {
  constexpr double usual = 280;
  constexpr double mostOfTitle = 450;
  constexpr double besideTitle = 18;
  constexpr double ofBox = 15;
  const QFontMetricsF metrics(style.title);
  double needed = usual;
  for (const Plot& plot : plots) {
    const double title = metrics.horizontalAdvance(plot.title) + besideTitle;
    needed = std::max(needed, std::min(title, mostOfTitle));
    if (plot.boxes.empty() && plot.x.names.empty()) continue;
    const double names = namesWidth(plot.x.names, standOnEnd(plot.x.names), style);
    const double boxes = ofBox * static_cast<double>(plot.boxes.size());
    needed =
        std::max(needed, numbersWidth(style) + std::max(names, boxes) + labelsWidth(plot, style));
  }
  return static_cast<int>(std::ceil(needed));
}

}  // namespace

PlotBoard::PlotBoard(QWidget* parent)
    : QWidget(parent),
      scroll_(new QScrollArea(this)),
      canvas_(new QWidget),
      grid_(new QGridLayout(canvas_)),
      legend_(new LegendView(this)) {
  setAccessibleName(tr("Plots"));
  canvas_->setAccessibleName(tr("Plots"));
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setSpacing(6);
  scroll_->setAccessibleName(tr("Plots"));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setWidgetResizable(true);
  scroll_->setWidget(canvas_);
  scroll_->setMinimumSize(lowest);
  scroll_->viewport()->installEventFilter(this);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 4, 6, 4);
  column->setSpacing(4);
  column->addWidget(scroll_, 1);
  column->addWidget(legend_);
  connect(legend_, &LegendView::hovered, this, &PlotBoard::emphasiseEntry);
  connect(legend_, &LegendView::left, this, &PlotBoard::emphasiseNothing);
}

void PlotBoard::setPlots(const std::vector<Plot>& plots) {
  while (views_.size() > plots.size()) {
    // The view may be the sender of the signal being handled, so it is deleted later.
    views_.back()->hide();
    views_.back()->deleteLater();
    views_.pop_back();
  }
  while (views_.size() < plots.size()) views_.push_back(makeView(plotCount()));
  for (std::size_t i = 0; i < plots.size(); ++i) views_[i]->setPlot(plots[i]);
  arrange();
}

void PlotBoard::showWhole() {
  for (PlotView* view : views_) view->showWhole();
}

PlotView* PlotBoard::makeView(int index) {
  auto* view = new PlotView(canvas_);
  connect(view, &PlotView::hovered, this, &PlotBoard::hovered);
  connect(view, &PlotView::left, this, &PlotBoard::left);
  connect(view, &PlotView::left, this, &PlotBoard::emphasiseNothing);
  connect(view, &PlotView::pointHovered, this,
          [this, index](int curve, int) { emphasiseHead(index, curve); });
  connect(view, &PlotView::curveChosen, this,
          [this, index](int curve) { Q_EMIT curveChosen(index, curve); });
  connect(view, &PlotView::pointHovered, this,
          [this, index](int curve, int point) { Q_EMIT pointHovered(index, curve, point); });
  connect(view, &PlotView::pointChosen, this,
          [this, index](int curve, int point) { Q_EMIT pointChosen(index, curve, point); });
  return view;
}

void PlotBoard::emphasiseHead(int plot, int curve) {
  const PlotCurve& hovered = views_[std::size_t(plot)]->plot().curves[std::size_t(curve)];
  if (hovered.line == PlotCurve::Line::None || hovered.places.size() != 1) return;
  if (hovered.places.front() == emphasisedHead_) return;
  isEmphasised_ = true;
  emphasisedHead_ = hovered.places.front();
  for (int i = 0; i < plotCount(); ++i) {
    if (i == plot) continue;
    views_[std::size_t(i)]->emphasise(
        [&hovered](const PlotCurve& other) { return other.places == hovered.places; });
  }
}

void PlotBoard::emphasiseEntry(const LegendEntry& entry) {
  isEmphasised_ = true;
  emphasisedHead_.reset();
  for (PlotView* view : views_) {
    // Curves that belong to those of an entry have its colour, and no entry of their own.
    view->emphasise([&entry](const PlotCurve& curve) {
      return curve.group == entry.name || curve.kin.name == entry.name ||
             (curve.group.isEmpty() && curve.color == entry.color);
    });
  }
}

void PlotBoard::emphasiseNothing() {
  if (!isEmphasised_) return;
  isEmphasised_ = false;
  emphasisedHead_.reset();
  for (PlotView* view : views_) view->emphasise({});
}

bool PlotBoard::labelsHaveRoom(int columns) const {
  const FigureStyle style = screenStyle(*this);
  const double line = QFontMetricsF(style.title).height();
  const int rows = (plotCount() + columns - 1) / columns;
  const double legend = legendHeight(legendBesideLabels(shownPlots()), width(), style);
  const double tallest = (height() - legend - 3 * line) / std::max(1, rows);
  return std::ranges::all_of(views_, [&](const PlotView* view) {
    const double high = std::max<double>(tallest, view->minimumHeight());
    return labelsFit(view->plot(), QSizeF(double(width()) / columns, high - 1.5 * line), style);
  });
}

std::vector<Plot> PlotBoard::shownPlots() const {
  std::vector<Plot> plots;
  for (const PlotView* view : views_) plots.push_back(view->plot());
  return plots;
}

std::vector<LegendEntry> PlotBoard::legendBeside(bool labelled) const {
  const std::vector<Plot> plots = shownPlots();
  std::vector<LegendEntry> whole = legendOf(plots);
  std::vector<LegendEntry> models = legendBesideLabels(plots);
  if (labelled) return models;
  const bool isTall = legendHeight(whole, width(), screenStyle(*this)) > height() / 3.0;
  return isTall && !models.empty() ? models : whole;
}

void PlotBoard::arrange() {
  const QSize room = scroll_->viewport()->size();
  const int columns = columnsIn(room.width());
  const bool labelled = labelsHaveRoom(columns);
  legend_->setEntries(legendBeside(labelled));
  fitLegend();
  for (PlotView* view : views_) {
    view->setLabelled(labelled);
    grid_->removeWidget(view);
  }
  // The plots of a last row that is not full share its width: each column of plots consists of as
  // many columns of the grid as the last row has plots.
  const int full = plotCount() / columns * columns;
  const int inLast = std::max(1, plotCount() - full);
  for (int i = 0; i < plotCount(); ++i) {
    const int span = i < full ? inLast : columns;
    const int column = i < full ? i % columns : i - full;
    grid_->addWidget(views_[static_cast<std::size_t>(i)], i / columns, column * span, 1, span);
  }
  for (int i = 0; i < grid_->columnCount(); ++i) {
    grid_->setColumnStretch(i, i < columns * inLast ? 1 : 0);
  }
  // The wheel zooms plots only if there is nothing to scroll.
  const bool fits =
      canvas_->minimumSizeHint().height() <= room.height() && !ScrolledContent::isScrolled(*this);
  for (PlotView* view : views_) view->setWheelZooms(fits);
}

void PlotBoard::fitLegend() {
  const QMargins margins = layout()->contentsMargins();
  const int legend = legend_->heightForWidth(width() - margins.left() - margins.right());
  const int needed =
      lowest.height() + layout()->spacing() + legend + margins.top() + margins.bottom();
  // In less room it would be drawn over the plots.
  legend_->setVisible(legend > 0 && height() >= needed);
}

void PlotBoard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // Queued, so that all plots have the new letters by then.
  if (event->type() == QEvent::FontChange) {
    QMetaObject::invokeMethod(this, &PlotBoard::arrange, Qt::QueuedConnection);
  }
}

void PlotBoard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitLegend();
}

int PlotBoard::columnsIn(int width) const {
  const int most =
      std::clamp(width / narrowest(shownPlots(), screenStyle(*this)), 1, std::max(1, plotCount()));
  // As few columns as the rows need, so that plots that are compared have about one width.
  const int rows = (plotCount() + most - 1) / most;
  return rows > 0 ? (plotCount() + rows - 1) / rows : 1;
}

int PlotBoard::leastHeight(int width) const {
  if (views_.empty()) return lowest.height();
  const QMargins margins = layout()->contentsMargins();
  const int room = width - margins.left() - margins.right();
  const int columns = columnsIn(room);
  const int rows = (plotCount() + columns - 1) / columns;
  int lowestPlot = 0;
  for (const PlotView* view : views_) lowestPlot = std::max(lowestPlot, view->minimumHeight());
  const int plots = rows * lowestPlot + (rows - 1) * grid_->verticalSpacing();
  const int legend = legend_->heightForWidth(room);
  return plots + margins.top() + margins.bottom() + (legend > 0 ? legend + layout()->spacing() : 0);
}

bool PlotBoard::eventFilter(QObject* watched, QEvent* event) {
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) arrange();
  return QWidget::eventFilter(watched, event);
}

}  // namespace softscope
