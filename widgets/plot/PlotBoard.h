#pragma once

#include "widgets/plot/Plot.h"

#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

class QGridLayout;
class QScrollArea;

namespace softscope {

class LegendView;
class PlotView;

/// Shows plots in a grid, with labels beside their curves if there is room for all, else over one
/// common legend; scrolls if the plots would become too low to read. The head whose line the
/// pointer is on, or the entry of the legend, is brought out in all plots.
class PlotBoard : public QWidget {
  Q_OBJECT

 public:
  explicit PlotBoard(QWidget* parent = nullptr);

  void setPlots(const std::vector<Plot>& plots);
  /// Returns the height below which the plots scroll if they are given that width.
  int leastHeight(int width) const;
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
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  PlotView* makeView(int index);
  /// Brings out the head of a curve in the plots other than that one.
  void emphasiseHead(int plot, int curve);
  void emphasiseEntry(const LegendEntry& entry);
  void emphasiseNothing();
  std::vector<Plot> shownPlots() const;
  /// True if every plot has room for the labels of its curves in this number of columns.
  bool labelsHaveRoom(int columns) const;
  /// Returns the entries below plots whose curves are labelled, or not. Where there is no room for
  /// labels or for an entry of every curve, models alone have one, and a curve under the pointer
  /// says its layer.
  std::vector<LegendEntry> legendBeside(bool labelled) const;
  void arrange();
  /// Hides the legend where there is no room for it below the lowest plot.
  void fitLegend();
  /// Returns how many plots stand side by side in that width.
  int columnsIn(int width) const;

  QScrollArea* scroll_;
  QWidget* canvas_;
  QGridLayout* grid_;
  std::vector<PlotView*> views_;
  /// True while an entry or a head is brought out, and which head.
  bool isEmphasised_ = false;
  std::optional<PlotPlace> emphasisedHead_;
  LegendView* legend_;
};

}  // namespace softscope
