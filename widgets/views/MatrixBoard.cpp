#include "widgets/views/MatrixBoard.h"

#include "widgets/controls/Theme.h"
#include "widgets/views/MatrixView.h"

#include <cmath>

namespace softscope {
namespace {

constexpr int narrowestMatrix = 170;

}  // namespace

MatrixBoard::MatrixBoard(QWidget* parent)
    : PanelGrid(tr("Attention matrices"), narrowestMatrix, parent) {
  setAccessibleDescription(
      tr("Keys across, queries down. Click a row to ask about its query; arrow keys step the query "
         "one patch."));
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
    // The view may be the sender of the signal being handled, so it is deleted later.
    views_.back()->hide();
    views_.back()->deleteLater();
    views_.pop_back();
  }
  while (views_.size() < count) {
    auto* view = new MatrixView(canvas());
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

PanelGrid::Shape MatrixBoard::shape() const {
  if (!isVisible()) return {};
  const double overhead = headPanelOverhead(screenStyle(*this), true);
  return {count(), aspect_, static_cast<int>(std::ceil(overhead))};
}

void MatrixBoard::place(int index, const QRect& place, bool fits) {
  view(index).setGeometry(place);
  view(index).setWheelZooms(fits);
  view(index).show();
}

void MatrixBoard::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // The children get their sizes only after everything that becomes visible together has been laid
  // out.
  QMetaObject::invokeMethod(this, &MatrixBoard::arrange, Qt::QueuedConnection);
}

}  // namespace softscope
