#pragma once

#include "widgets/analysis/PlottedFigure.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/workspace/Jobs.h"

#include <cstddef>
#include <memory>
#include <optional>

class QMenu;
class QPushButton;

namespace softscope {

/// The points measured so far of a sweep.
struct CostsSoFar {
  CostMeasurements points;
  std::size_t done = 0;
  std::size_t all = 0;
  /// The memory limit of the measurement, as in ComputeSettings.
  int memory = 0;
};

/// Returns the memory that the points take, in bytes.
std::size_t bytesOf(const CostsSoFar& costs);

/// The page of what attention costs on this computer. It needs no model and no picture, and
/// measures only on demand. Points appear as they are measured; those measured before a stop are
/// kept.
class CostPage : public PlotPage {
  Q_OBJECT

 public:
  /// Measures on the workspace's device.
  explicit CostPage(Workspace& workspace, QWidget* parent = nullptr);

  bool isReady() const override { return true; }
  void showNow() override;
  bool hasFigure() const override { return showsPlots(); }
  std::optional<PageFigure> figure() const override;

 private:
  void choose();
  void measure();
  void showControls();
  /// Returns the points drawn; null if none are.
  std::shared_ptr<const CostsSoFar> points() const;
  QString runText() const;
  CostSweep sweep() const;

  QComboBox* over_;
  QComboBox* scope_;
  QComboBox* pass_;
  QMenu* mechanisms_;
  QPushButton* measure_;
  /// The costs of the present choice, as far as measured, and their job.
  Jobs::Known<CostsSoFar> known_;
};

}  // namespace softscope
