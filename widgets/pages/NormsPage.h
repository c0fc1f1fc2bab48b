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
  /// Returns the layers that are shown. Those of models that cannot be swept over sizes are left
  /// out of a sweep; `leftOut` is given the names of these models and the reasons.
  std::vector<AnalysedLayer> shownLayers(const NormsSettings& settings, QStringList& leftOut) const;
  void showSettings(const NormsSettings& settings);
  std::vector<NormsSubject> subjects(const std::vector<AnalysedLayer>& layers) const;
  void retry() override { norms_.retry(); }

  QComboBox* sweep_;
  QLineEdit* sizes_;
  QComboBox* rcond_;
  LatestResult<Subject, std::vector<LayerNorms>> norms_;
};

}  // namespace softscope
