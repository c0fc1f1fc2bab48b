#include "widgets/plot/PlotBoard.h"

#include "widgets/plot/LegendView.h"
#include "widgets/plot/PlotView.h"

#include <QtWidgets/QGridLayout>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {
namespace {

constexpr int narrowestPlot = 300;

}  // namespace

PlotBoard::PlotBoard(QWidget* parent)
    : QWidget(parent), grid_(new QGridLayout), legend_(new LegendView(this)) {
  setAccessibleName(tr("Plots"));
  grid_->setSpacing(6);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 4, 6, 4);
  column->setSpacing(4);
  column->addLayout(grid_, 1);
  column->addWidget(legend_);
}

void PlotBoard::setPlots(const std::vector<Plot>& plots) {
  while (views_.size() > plots.size()) {
    // It may be what asked for this.
    views_.back()->hide();
    views_.back()->deleteLater();
    views_.pop_back();
  }
  while (views_.size() < plots.size()) views_.push_back(makeView(plotCount()));
  for (std::size_t i = 0; i < plots.size(); ++i) views_[i]->setPlot(plots[i]);
  legend_->setEntries(legendOf(plots));
  arrange();
}

PlotView* PlotBoard::makeView(int index) {
  auto* view = new PlotView(this);
  connect(view, &PlotView::hovered, this, &PlotBoard::hovered);
  connect(view, &PlotView::left, this, &PlotBoard::left);
  connect(view, &PlotView::curveChosen, this,
          [this, index](int curve) { Q_EMIT curveChosen(index, curve); });
  return view;
}

void PlotBoard::arrange() {
  const int columns = std::clamp(width() / narrowestPlot, 1, std::max(1, plotCount()));
  for (PlotView* view : views_) grid_->removeWidget(view);
  for (int i = 0; i < plotCount(); ++i) {
    grid_->addWidget(views_[static_cast<std::size_t>(i)], i / columns, i % columns);
  }
  for (int i = 0; i < grid_->columnCount(); ++i) grid_->setColumnStretch(i, i < columns ? 1 : 0);
}

void PlotBoard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace softscope
