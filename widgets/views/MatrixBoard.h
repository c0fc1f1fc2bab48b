#pragma once

#include "widgets/paint/MatrixPanel.h"
#include "widgets/views/PanelGrid.h"

#include <vector>

namespace softscope {

class MatrixView;

/// Shows attention matrices in a grid, as large as possible.
class MatrixBoard : public PanelGrid {
  Q_OBJECT

 public:
  explicit MatrixBoard(QWidget* parent = nullptr);

  void setPanels(std::vector<MatrixPanel> panels);
  int count() const { return static_cast<int>(views_.size()); }
  MatrixView& view(int index) const { return *views_[static_cast<std::size_t>(index)]; }

 Q_SIGNALS:
  /// The signals of MatrixView, for the panel at `index`.
  void hovered(int index, int row, int column);
  void left();
  void chosen(int index, int row, int column);
  void zoomed(int index, double factor, const QPointF& about);
  void panned(const QPointF& by);

 protected:
  Shape shape() const override;
  void place(int index, const QRect& place, bool fits) override;
  void showEvent(QShowEvent* event) override;

 private:
  void makeViews(std::size_t count);

  std::vector<MatrixView*> views_;
  double aspect_ = 1;
};

}  // namespace softscope
