#pragma once

#include "widgets/pages/AnalysisPage.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

class PlotBoard;

/// The page of an analysis that is shown as plots.
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
  PlotBoard* board_;
};

}  // namespace softscope
