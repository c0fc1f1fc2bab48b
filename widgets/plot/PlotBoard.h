#pragma once

#include "widgets/plot/Plot.h"

#include <QtWidgets/QWidget>

#include <vector>

class QGridLayout;
class QScrollArea;

namespace softscope {

class LegendView;
class PlotView;

/// Plots beside and below each other, as there is room, over one legend; where they would become
/// too low to read it scrolls.
class PlotBoard : public QWidget {
  Q_OBJECT

 public:
  explicit PlotBoard(QWidget* parent = nullptr);

  void setPlots(const std::vector<Plot>& plots);
  /// The least width of plots beside each other.
  void setNarrowestPlot(int width);
  /// All of every plot, however far they are zoomed.
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
