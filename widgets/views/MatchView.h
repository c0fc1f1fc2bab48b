#pragma once

#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/MatchPanel.h"

#include <QtWidgets/QWidget>

#include <optional>

namespace softscope {

/// Shows two pictures with lines between patches that match, drawn by the same painter as in
/// figures. A click on the left picture asks about that place.
class MatchView : public QWidget {
  Q_OBJECT

 public:
  explicit MatchView(QWidget* parent = nullptr);

  void setPanel(MatchPanel panel);
  const MatchPanel& panel() const { return panel_; }
  /// Returns the rectangle of the left picture in this widget.
  QRectF leftRect() const;

 Q_SIGNALS:
  /// The left button was pressed at `place`, in fractions of what the network saw of the left
  /// picture, or moved there while it was down.
  void pressed(const QPointF& place);
  void dragged(const QPointF& place);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  HeadPanelLayout parts() const;
  std::optional<QPointF> fractionAt(const QPointF& place) const;

  MatchPanel panel_;
};

}  // namespace softscope
