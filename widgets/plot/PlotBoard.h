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
  /// All of every plot, however far they are zoomed.
  void showWhole();
  int plotCount() const { return static_cast<int>(views_.size()); }
  PlotView& plot(int index) { return *views_[static_cast<std::size_t>(index)]; }

 Q_SIGNALS:
  void hovered(const QString& text);
  void left();
  void curveChosen(int plot, int curve);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  PlotView* makeView(int index);
  void arrange();

  QScrollArea* scroll_;
  QWidget* canvas_;
  QGridLayout* grid_;
  std::vector<PlotView*> views_;
  LegendView* legend_;
};

}  // namespace softscope
