#pragma once

#include "core/query/QueryToken.h"
#include "widgets/paint/HeadPanel.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <optional>

namespace softscope {

/// Shows one head's overlay, drawn by the same painter as in figures. It reports the value under
/// the pointer, and a click on it asks about that place.
class HeadPanelView : public QWidget {
  Q_OBJECT

 public:
  explicit HeadPanelView(QWidget* parent = nullptr);

  void setPanel(HeadPanel panel, std::shared_ptr<const CroppedPicture> picture);
  const HeadPanel& panel() const { return panel_; }
  const std::shared_ptr<const CroppedPicture>& picture() const { return picture_; }
  /// Sets whether the wheel zooms; otherwise it zooms only with Ctrl and scrolls the surrounding
  /// area without.
  void setWheelZooms(bool zooms) { wheelZooms_ = zooms; }
  /// Returns the rectangle of the image in this widget.
  QRectF imageRect() const;
  /// Returns the cell of the values' grid at a place in this widget; empty outside the grid.
  std::optional<Patch> cellAt(const QPointF& place) const;
  /// Returns the place in fractions of what the network saw; empty if a place in this widget cannot
  /// be asked about.
  std::optional<QPointF> askedAt(const QPointF& place) const;

 Q_SIGNALS:
  /// The left button was pressed at `place`, in fractions of the part of the picture that the
  /// network saw.
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);
  /// The user clicked with Shift.
  void pinned(const QPointF& place);
  /// The user double-clicked the panel; `asked` is true if the first click emitted pressed().
  void chosen(bool asked);
  /// The wheel was turned over `about`; a `factor` above 1 zooms in.
  void zoomed(double factor, const QPointF& about);
  /// The user dragged the picture with the middle or right button; `by` says how far the visible
  /// part moves across it, right and down, in fractions of the width and height of what the network
  /// saw.
  void panned(const QPointF& by);
  /// The pointer is on the patch at `row` and `column` of the answer's grid.
  void hovered(int row, int column);
  void left();
  /// The user clicked with the right button or pressed the menu key; `place` is in this widget.
  void menuWanted(const QPoint& globalPlace, const QPointF& place);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  HeadPanelLayout parts() const;
  /// True if places in the image are places on the picture that can be asked about.
  bool asksPlaces() const;
  QRectF shownPart() const;
  QPointF fractionAt(const QPointF& place) const;
  /// Reports what is under the pointer, or that it has left.
  void readOut(const QPointF& place);

  HeadPanel panel_;
  std::shared_ptr<const CroppedPicture> picture_;
  bool wheelZooms_ = true;
  /// The pointer's position while it is on the image.
  std::optional<QPointF> pointer_;
  /// The position from which the picture is being dragged.
  std::optional<QPointF> held_;
  /// The position where the right button was pressed; reset as soon as it drags the picture.
  std::optional<QPointF> menuAt_;
  /// True if the left button was pressed on a place that can be asked about.
  bool asks_ = false;
  /// True if the last press of the left button asked.
  bool asked_ = false;
};

}  // namespace softscope
