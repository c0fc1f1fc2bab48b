#pragma once

#include "core/analysis/ModelFunctions.h"
#include "widgets/analysis/CostFigure.h"
#include "widgets/pages/PlotPage.h"

#include <QtCore/QElapsedTimer>

#include <cstddef>
#include <memory>
#include <optional>

class QMenu;
class QPushButton;

namespace softscope {

/// The page of what attention costs on this computer. It needs no model and no picture, and
/// measures only on demand. Points appear as they are measured; those measured before a stop are
/// kept.
class CostPage : public PlotPage {
  Q_OBJECT

 public:
  /// Measures on the workspace's device. `runner` runs the measurements; if it is empty, nothing
  /// can be measured.
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
  /// The points measured so far in the latest sweep, and its progress.
  struct Measured {
    std::shared_ptr<const CostMeasurements> points;
    std::size_t done = 0;
    std::size_t all = 0;
    /// The memory limit of the measurement, as in ComputeSettings.
    int memory = 0;
    /// Owned by the request; it expires when no more points can arrive.
    std::weak_ptr<const int> request;
  };
  void take(int run, const CostMeasurements& points, std::size_t done, std::size_t all);
  QString runText() const;
  bool runs() const;

  Measured measured_;
  QElapsedTimer since_;
  /// Number of the present measurement, to recognise points that still arrive from an earlier,
  /// stopped one.
  int run_ = 0;
};

}  // namespace softscope
