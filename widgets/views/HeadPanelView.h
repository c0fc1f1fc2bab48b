#pragma once

#include "core/query/QueryToken.h"
#include "widgets/paint/HeadPanel.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <optional>

namespace softscope {

/// One head's overlay, drawn by the painter that figures use. It reads values out under the
/// pointer, and a click on it asks about that place.
class HeadPanelView : public QWidget {
  Q_OBJECT

 public:
  explicit HeadPanelView(QWidget* parent = nullptr);

  void setPanel(HeadPanel panel, std::shared_ptr<const CroppedPicture> picture);
  const HeadPanel& panel() const { return panel_; }
  /// The wheel zooms, rather than with Ctrl only and otherwise scrolling what is around.
  void setWheelZooms(bool zooms) { wheelZooms_ = zooms; }
  /// The image's place in this widget.
  QRectF imageRect() const;
  /// The cell of the values' grid at a place of this widget; nothing beside them.
  std::optional<Patch> cellAt(const QPointF& place) const;
  /// The place on what the network saw, in fractions; nothing where a place means none.
  std::optional<QPointF> askedAt(const QPointF& place) const;

 Q_SIGNALS:
  /// `place` is in fractions of the part of the picture that the network saw.
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);
  /// Shift and a click.
  void pinned(const QPointF& place);
  /// A double click.
  void chosen();
  /// The wheel was turned over `about`: closer where `factor` is above 1.
  void zoomed(double factor, const QPointF& about);
  /// The middle or right button moves the picture: by how much of what the network saw.
  void panned(const QPointF& by);
  /// The patch of the answer's grid under the pointer.
  void hovered(int row, int column);
  void left();
  /// A click of the right button, or the key for it; `place` is in this widget.
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
  /// A place in the image means a place on the picture.
  bool asksPlaces() const;
  QRectF shownPart() const;
  QPointF fractionAt(const QPointF& place) const;
  /// Tells what is under the pointer, or that it has left.
  void readOut(const QPointF& place);

  HeadPanel panel_;
  std::shared_ptr<const CroppedPicture> picture_;
  bool wheelZooms_ = true;
  /// Where the pointer is, while it is on the image.
  std::optional<QPointF> pointer_;
  /// Where the picture was taken hold of.
  std::optional<QPointF> held_;
  /// Where the right button went down, until it moved the picture.
  std::optional<QPointF> menuAt_;
  /// Whether the left button was pressed on a place that can be asked.
  bool asks_ = false;
};

}  // namespace softscope
