#pragma once

#include "widgets/analysis/OverviewFigure.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>
#include <vector>

namespace softscope {

class LayerHeadView;

/// The page that shows how far or how widely every head of every layer of the current model attends
/// on this picture, or its largest entry; a click goes to a layer.
class OverviewPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit OverviewPage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void releaseResults() override;
  bool hasFigure() const override { return showsContent(); }
  std::optional<PageFigure> figure() const override;
  LayerHeadView& view() { return *view_; }

 private:
  struct Subject {
    std::vector<AnalysedLayer> layers;
    OverviewMeasure of = OverviewMeasure::Distance;

    bool operator==(const Subject&) const = default;
  };

  void retry() override { overview_.retry(); }
  void goTo(int layer);
  void readValue(int layer, int head);

  SettingControls<OverviewSettings> controls_;
  LayerHeadView* view_;
  LatestResult<Subject, std::vector<LayerOverview>> overview_;
  /// The data that the view shows, and (in `drawnOf_`) which quantity.
  std::shared_ptr<const std::vector<LayerOverview>> drawn_;
  OverviewMeasure drawnOf_ = OverviewMeasure::Distance;
};

}  // namespace softscope
