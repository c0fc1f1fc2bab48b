#pragma once

#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/MatrixPanel.h"

#include <QtWidgets/QWidget>

#include <optional>

namespace softscope {

/// One head's attention matrix on the screen, drawn by the painter that figures use. The wheel
/// zooms, dragging moves, a click chooses a query.
class MatrixView : public QWidget {
  Q_OBJECT

 public:
  explicit MatrixView(QWidget* parent = nullptr);

  void setPanel(MatrixPanel panel);
  const MatrixPanel& panel() const { return panel_; }
  /// The wheel zooms, rather than with Ctrl only and otherwise scrolling what is around.
  void setWheelZooms(bool zooms) { wheelZooms_ = zooms; }
  /// The matrix' place in this widget.
  QRectF imageRect() const;
  /// The middle of an entry in this widget.
  QPointF placeOf(int row, int column) const;

 Q_SIGNALS:
  /// The entry under the pointer.
  void hovered(int row, int column);
  void left();
  /// A click, and not a drag, on an entry.
  void chosen(int row, int column);
  /// The wheel was turned over `about`, in fractions of the matrix: closer where `factor` is above
  /// 1.
  void zoomed(double factor, const QPointF& about);
  /// By how much of the matrix it was dragged.
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
  /// The matrix as it was drawn last; null where that no longer holds.
  QImage image_;
  bool wheelZooms_ = true;
  /// Where the button went down, and from where the matrix was last moved.
  std::optional<QPointF> pressed_;
  QPointF held_;
  bool dragging_ = false;
};

}  // namespace softscope
