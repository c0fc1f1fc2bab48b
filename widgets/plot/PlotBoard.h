#pragma once

#include "widgets/plot/Plot.h"

#include <QtWidgets/QWidget>

#include <vector>

class QGridLayout;
class QScrollArea;

namespace softscope {

class LegendView;
class PlotView;

/// Shows plots in a grid over one common legend; scrolls if the plots would become too low to read.
class PlotBoard : public QWidget {
  Q_OBJECT

 public:
  explicit PlotBoard(QWidget* parent = nullptr);

  void setPlots(const std::vector<Plot>& plots);
  /// Sets the smallest width that plots side by side may have, in pixels.
  void setNarrowestPlot(int width);
  /// Undoes the zoom of every plot, so that each shows all of its content.
  void showWhole();
  int plotCount() const { return static_cast<int>(views_.size()); }
  PlotView& plot(int index) { return *views_[static_cast<std::size_t>(index)]; }

 Q_SIGNALS:
  void hovered(const QString& text);
  void left();
  void curveChosen(int plot, int curve);
  void pointHovered(int plot, int curve, int index);
  void pointChosen(int plot, int curve, int index);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  PlotView* makeView(int index);
  void arrange();

  QScrollArea* scroll_;
  QWidget* canvas_;
  QGridLayout* grid_;
  std::vector<PlotView*> views_;
  int narrowestPlot_ = 300;
  LegendView* legend_;
};

}  // namespace softscope
