#pragma once

#include "widgets/pages/AnalysisPage.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

class PlotBoard;

/// The page of an analysis that is shown as plots. A click on a point that stands for a head shows
/// that head of that layer and model on Heads.
class PlotPage : public AnalysisPage {
  Q_OBJECT

 public:
  PlotBoard& board() { return *board_; }
  void showWhole() override;

 protected:
  PlotPage(Workspace& workspace, const QString& name, QWidget* parent);

  void showPlots(const std::vector<Plot>& plots, const QString& about);
  bool showsPlots() const;

 private:
  void goTo(int plot, int curve, int index);

  PlotBoard* board_;
};

}  // namespace softscope
