#pragma once

#include "widgets/plot/Plot.h"

#include <QtWidgets/QWidget>

#include <functional>

class QCPAxis;
class QCustomPlot;
class QToolButton;

namespace softscope {

class CurveLabels;
class ElidedLabel;

/// One plot on the screen. The wheel zooms and dragging moves it; a double click, or the button
/// that then appears in its corner, shows everything again. The line closest to the pointer is
/// drawn bolder, the others fade, and its value is reported.
class PlotView : public QWidget {
  Q_OBJECT

 public:
  explicit PlotView(QWidget* parent = nullptr);

  /// Shows all of another plot; the same plot again keeps its zoom and position.
  void setPlot(const Plot& plot);
  const Plot& plot() const { return plot_; }
  /// Sets whether curves have their labels beside them.
  void setLabelled(bool labelled);
  /// Sets whether the wheel zooms; otherwise wheel events go to the parent widget.
  void setWheelZooms(bool zooms);
  /// Shows all of the plot again after zooming and moving.
  void showWhole();
  /// Fades every curve that `kept` does not accept; an empty function shows all as they are. Points
  /// without a line that stand for several heads, or for none, stay as they are.
  void emphasise(const std::function<bool(const PlotCurve&)>& kept);

 Q_SIGNALS:
  /// The text describes the point or box under the pointer, e.g. `block1.0, head 3: (12, 4.1e-5)`.
  void hovered(const QString& text);
  void left();
  /// The user clicked, without dragging, next to the curve whose index is `curve`.
  void curveChosen(int curve);
  /// pointHovered() follows hovered() if the pointer is next to a point of a curve, or on a bar;
  /// pointChosen() says that the user clicked there.
  void pointHovered(int curve, int index);
  void pointChosen(int curve, int index);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// Sets the least height: that of the axes with all names below them.
  void fitHeight();
  void draw();
  /// Writes names along the axis vertically where they would run into each other.
  void fitNames();
  /// Lets the note give way to the title, which is shortened only where it does not fit alone.
  void fitTitle();
  /// Follows a range that the user gave to an axis.
  void takeRange(QCPAxis& axis);
  void hover(const QPointF& place);
  /// Reports the box under the pointer; returns false if there is none.
  bool hoverBox(const QPointF& place);
  void highlight(int curve);
  /// Draws all curves, those that `kept` does not accept pale, and the line of `bold` twice as
  /// wide.
  void drawCurves(const std::function<bool(const PlotCurve&)>& kept, int bold);

  Plot plot_;
  ElidedLabel* title_;
  ElidedLabel* note_;
  QCustomPlot* canvas_;
  CurveLabels* labels_ = nullptr;
  QToolButton* whole_;
  /// True while the view itself sets the axes' ranges.
  bool drawing_ = false;
  bool labelled_ = false;
  int highlighted_ = -1;
  int hoveredIndex_ = -1;
  bool wheelZooms_ = true;
  QPointF pressed_;
};

}  // namespace softscope
