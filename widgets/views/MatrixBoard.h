#pragma once

#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/MatrixPanel.h"
#include "widgets/views/PanelGrid.h"

#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace softscope {

/// Shows one head's attention matrix, drawn by the same painter as in figures. The wheel zooms,
/// dragging moves, and a click chooses a query.
class MatrixView : public QWidget {
  Q_OBJECT

 public:
  explicit MatrixView(QWidget* parent = nullptr);

  void setPanel(MatrixPanel panel);
  const MatrixPanel& panel() const { return panel_; }
  /// Sets whether the wheel zooms; otherwise it zooms only with Ctrl and scrolls the surrounding
  /// area without.
  void setWheelZooms(bool zooms) { wheelZooms_ = zooms; }
  /// Returns the rectangle of the matrix in this widget.
  QRectF imageRect() const;
  /// Returns the centre of an entry in this widget.
  QPointF placeOf(int row, int column) const;

 Q_SIGNALS:
  /// The pointer is on the entry of the matrix at `row` and `column`.
  void hovered(int row, int column);
  void left();
  /// The user clicked an entry without dragging.
  void chosen(int row, int column);
  /// The wheel was turned over `about`, in fractions of the matrix; a `factor` above 1 zooms in.
  void zoomed(double factor, const QPointF& about);
  /// The user dragged the matrix; `by` says how far the visible part moves across it, right and
  /// down, in fractions of the matrix's width and height.
  void panned(const QPointF& by);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  HeadPanelLayout parts() const;
  HeadPanel frame() const;
  QPointF fractionAt(const QPointF& place) const;
  std::optional<QPoint> entryAt(const QPointF& place) const;
  void point(std::optional<QPoint> entry);

  MatrixPanel panel_;
  /// The matrix as last drawn; null if it must be drawn again.
  QImage image_;
  bool wheelZooms_ = true;
  /// Where the button was pressed; `held_` is where the matrix was last moved from.
  std::optional<QPointF> pressed_;
  QPointF held_;
  bool dragging_ = false;
};

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
