#pragma once

#include "widgets/analysis/ConvergencePlots.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/workspace/LatestResult.h"

class QSpinBox;

namespace softscope {

/// The page of Newton-Raphson: how the iteration comes near the inverse of the bottleneck matrix.
class ConvergencePage : public PlotPage {
  Q_OBJECT

 public:
  explicit ConvergencePage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  bool hasFigure() const override { return showsPlots(); }
  std::optional<PageFigure> figure() const override;

 private:
  struct Subject {
    std::vector<AnalysedLayer> layers;
    ConvergenceSettings settings;

    bool operator==(const Subject&) const = default;
  };

  void choose();
  void showSettings(const ConvergenceSettings& settings);
  void retry() override { convergence_.retry(); }

  QComboBox* scheme_;
  QSpinBox* iterations_;
  QCheckBox* single_;
  LatestResult<Subject, std::vector<LayerConvergence>> convergence_;
};

}  // namespace softscope
