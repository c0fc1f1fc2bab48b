#pragma once

#include "widgets/figure/HeadPanel.h"

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
  /// The image's place in this widget.
  QRectF imageRect() const;

 Q_SIGNALS:
  /// `place` is in fractions of the part of the picture that the network saw.
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);
  /// The patch of the answer's grid under the pointer.
  void hovered(int row, int column);
  void left();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  HeadPanelLayout parts() const;
  QPointF fractionAt(const QPointF& place) const;

  HeadPanel panel_;
  std::shared_ptr<const CroppedPicture> picture_;
  bool hovering_ = false;
};

}  // namespace softscope
