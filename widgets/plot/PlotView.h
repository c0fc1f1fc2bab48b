#pragma once

#include "widgets/plot/Plot.h"

#include <QtWidgets/QWidget>

class QCustomPlot;
class QLabel;
class QMouseEvent;
class QToolButton;

namespace softscope {

class ElidedLabel;

/// One plot on the screen. The wheel zooms it, dragging moves it; a double click, or the button
/// that then stands in its corner, shows all of it again; the curve next to the pointer is drawn
/// bolder and its value told.
class PlotView : public QWidget {
  Q_OBJECT

 public:
  explicit PlotView(QWidget* parent = nullptr);

  /// Shows another plot, all of it; the same one stays as far zoomed and moved as it is.
  void setPlot(const Plot& plot);
  const Plot& plot() const { return plot_; }
  /// Whether the wheel zooms, or is left to what the view stands in.
  void setWheelZooms(bool zooms);
  /// All of the plot, however far it is zoomed and moved.
  void showWhole();

 Q_SIGNALS:
  /// `block1.0, head 3: (12, 4.1e-5)`
  void hovered(const QString& text);
  void left();
  /// A click, and not a drag, next to a curve (by its index).
  void curveChosen(int curve);
  /// The pointer is next to a point of a curve, or on a bar; after hovered(). And a click there.
  void pointHovered(int curve, int index);
  void pointChosen(int curve, int index);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void draw();
  void hover(const QPointF& place);
  /// Whether the pointer is on a box, which is told.
  bool hoverBox(const QPointF& place);
  void highlight(int curve);

  Plot plot_;
  QLabel* title_;
  ElidedLabel* note_;
  QCustomPlot* canvas_;
  QToolButton* whole_;
  /// Its own ranges are being set.
  bool drawing_ = false;
  int highlighted_ = -1;
  int hoveredIndex_ = -1;
  bool wheelZooms_ = true;
  QPointF pressed_;
};

}  // namespace softscope
