#pragma once

#include "widgets/analysis/PatchFigures.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>
#include <optional>
#include <vector>

namespace softscope {

class CroppedPicture;
class HeadGrid;

/// The page of what a token sees through all layers up to the chosen one.
class RolloutPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit RolloutPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  std::optional<FollowedView> followedView() const override { return FollowedView{.signs = false}; }
  bool hasFigure() const override { return showsContent() && isLatest_ && !shown_.empty(); }
  std::optional<PageFigure> figure() const override;

 private:
  struct Subject : AnalysisInput {
    RolloutSettings settings;
    std::vector<int> tokens;

    bool operator==(const Subject&) const = default;
  };

  /// The model and inspection from which the shares that weight attention are measured.
  struct Weighed {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Inspection> inspection;

    bool operator==(const Weighed&) const = default;
  };

  /// Returns true if the shares that the layer's rollout may need are available, and puts them into
  /// `shares`; leaves that null if they are not needed or cannot be measured.
  bool findShares(const AnalysedLayer& layer, const RolloutSettings& settings,
                  std::shared_ptr<const ModelShare>& shares);
  /// Returns the rollout of the map that is shown, or null until it is computed.
  const std::vector<LayerRollout>* findRollouts(const AnalysedLayer& layer, ShownMap map);
  void readShare(int panel, int row, int column);
  void retry() override;

  SettingControls<RolloutSettings> controls_;
  HeadGrid* maps_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
  LatestResult<Weighed, std::shared_ptr<const ModelShare>> shares_;
  LatestResult<Subject, std::vector<LayerRollout>> rollouts_;
  std::vector<LayerRollout> shown_;
  /// False while `shown_` waits for the result of other settings or another query.
  bool isLatest_ = false;
};

}  // namespace softscope
