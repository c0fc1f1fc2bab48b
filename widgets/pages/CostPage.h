#pragma once

#include "core/analysis/CostRunner.h"
#include "widgets/analysis/CostFigure.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/workspace/LatestResult.h"

#include <optional>
#include <string>

class QMenu;
class QPushButton;

namespace softscope {

/// The page of what attention costs on this computer. It is of no model and no picture, and
/// measures only when it is told to.
class CostPage : public PlotPage {
  Q_OBJECT

 public:
  /// Measures on `device`, with `threads` (0: all). Without `runner` there is nothing to measure
  /// with.
  CostPage(Workspace& workspace, CostRunner runner, int threads, const std::string& device,
           QWidget* parent = nullptr);

  bool isReady() const override { return true; }
  void showNow() override;
  bool hasFigure() const override { return showsPlots(); }
  std::optional<PageFigure> figure() const override;

 private:
  void choose();
  void measure();
  void showControls();
  CostSweep sweep() const;
  /// What was cancelled begins again only when it is asked for.
  void retry() override {}

  CostRunner runner_;
  int threads_;
  std::string device_;
  QComboBox* over_;
  QComboBox* scope_;
  QComboBox* pass_;
  QMenu* mechanisms_;
  QPushButton* measure_;
  LatestResult<CostSweep, CostMeasurements> measurements_;
  /// What was asked for last.
  std::optional<CostSweep> asked_;
};

}  // namespace softscope
