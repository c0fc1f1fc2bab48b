#pragma once

#include "widgets/analysis/SpectrumFigure.h"
#include "widgets/pages/PlotPage.h"
#include "widgets/workspace/LatestResult.h"

namespace softscope {

class MapChoice;
struct OfferedMap;

/// The page of singular values and eigenvalues: of what multiplies V, of a bottleneck matrix, or of
/// its inverse.
class SpectrumPage : public PlotPage {
  Q_OBJECT

 public:
  explicit SpectrumPage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void letGo() override;
  bool hasFigure() const override { return showsPlots(); }
  std::optional<PageFigure> figure() const override;

 private:
  struct Subject {
    std::vector<AnalysedLayer> layers;
    SpectrumOf of = SpectrumOf::Attention;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Subject&) const = default;
  };

  OfferedMap shownMap() const;
  void retry() override { spectra_.retry(); }

  SettingControls<SpectrumSettings> controls_;
  MapChoice* map_ = nullptr;
  LatestResult<Subject, std::vector<LayerSpectra>> spectra_;
};

}  // namespace softscope
