#pragma once

#include "core/analysis/CostRunner.h"
#include "widgets/analysis/CostFigure.h"
#include "widgets/pages/PlotPage.h"

#include <QtCore/QElapsedTimer>

#include <cstddef>
#include <memory>
#include <optional>

class QMenu;
class QPushButton;

namespace softscope {

/// The page of what attention costs on this computer. It is of no model and no picture, and
/// measures only when it is told to. It draws point by point, and keeps those that were measured
/// when it is stopped.
class CostPage : public PlotPage {
  Q_OBJECT

 public:
  /// Measures on the workspace's device. Without `runner` there is nothing to measure with.
  CostPage(Workspace& workspace, CostRunner runner, QWidget* parent = nullptr);

  bool isReady() const override { return true; }
  void showNow() override;
  bool hasFigure() const override { return showsPlots(); }
  std::optional<PageFigure> figure() const override;

 private:
  void choose();
  void measure();
  void showControls();
  CostSweep sweep() const;

  CostRunner runner_;
  QComboBox* over_;
  QComboBox* scope_;
  QComboBox* pass_;
  QMenu* mechanisms_;
  QPushButton* measure_;
  /// What has been measured so far of the sweep that was asked for last, and how far it is.
  struct Measured {
    std::shared_ptr<const CostMeasurements> points;
    std::size_t done = 0;
    std::size_t all = 0;
    /// The limit that held, as in ComputeSettings.
    int memory = 0;
    /// Held by the request: it is gone when no more points come.
    std::weak_ptr<const int> request;
  };
  void take(int run, const CostMeasurements& points, std::size_t done, std::size_t all);
  QString runText() const;
  bool runs() const;

  Measured measured_;
  QElapsedTimer since_;
  /// Numbers the measurements, so that what is left of one that was stopped is told from the next.
  int run_ = 0;
};

}  // namespace softscope
