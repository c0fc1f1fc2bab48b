#pragma once

#include "widgets/paint/LayerHeadPainter.h"

#include <QtWidgets/QWidget>

#include <optional>

namespace softscope {

/// Shows a number for every head of every layer and lets the user go there by clicking a cell, or
/// by moving with the arrow keys and pressing Enter.
class LayerHeadView : public QWidget {
  Q_OBJECT

 public:
  explicit LayerHeadView(QWidget* parent = nullptr);

  void setMap(LayerHeadMap map);
  const LayerHeadMap& map() const { return map_; }
  /// Marks the layer that is shown elsewhere in the window; -1 for none.
  void setChosenLayer(int layer);
  /// Returns the centre of a head's cell, or of the whole layer's for -1.
  QPointF centreOf(int layer, int head) const;

  QSize sizeHint() const override { return {420, 320}; }

 Q_SIGNALS:
  /// The user chose a cell; `head` is -1 for the whole layer.
  void chosen(int layer, int head);
  void hovered(int layer, int head);
  void left();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  LayerHeadLayout parts() const;

  LayerHeadMap map_;
  int chosenLayer_ = -1;
  /// The cell that the arrow keys have reached: x is the head, y the layer.
  std::optional<QPoint> walked_;
};

}  // namespace softscope
