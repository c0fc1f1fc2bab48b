#pragma once

#include "widgets/analysis/ConvergenceFigure.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/workspace/LatestResult.h"

namespace softscope {

/// The page of Newton-Raphson: how the iteration comes near the inverse of the bottleneck matrix.
class ConvergencePage : public PlotPage {
  Q_OBJECT

 public:
  explicit ConvergencePage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void letGo() override;
  bool hasFigure() const override { return showsPlots(); }
  std::optional<PageFigure> figure() const override;

 private:
  struct Subject {
    std::vector<AnalysedLayer> layers;
    ConvergenceSettings settings;

    bool operator==(const Subject&) const = default;
  };

  void retry() override { convergence_.retry(); }

  SettingControls<ConvergenceSettings> controls_;
  LatestResult<Subject, std::vector<LayerConvergence>> convergence_;
};

}  // namespace softscope
