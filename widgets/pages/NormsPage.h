#pragma once

#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/workspace/LatestResult.h"

class QLineEdit;

namespace softscope {

/// The page of spectral norms: SOFT against SOFT++ with the same weights, at one picture size or
/// several.
class NormsPage : public PlotPage {
  Q_OBJECT

 public:
  explicit NormsPage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void releaseResults() override;
  bool hasFigure() const override { return showsPlots(); }
  std::optional<PageFigure> figure() const override;

 private:
  struct Subject {
    std::vector<AnalysedLayer> layers;
    NormsSettings settings;

    bool operator==(const Subject&) const = default;
  };

  void choose();
  /// Returns why one of the models cannot be swept over sizes; empty if all can.
  QString sweepObstacle(const NormsSettings& settings) const;
  void showSettings(const NormsSettings& settings);
  std::vector<NormsSubject> subjects(const std::vector<AnalysedLayer>& layers) const;
  void retry() override { norms_.retry(); }

  QComboBox* sweep_;
  QLineEdit* sizes_;
  QComboBox* rcond_;
  LatestResult<Subject, std::vector<LayerNorms>> norms_;
};

}  // namespace softscope
