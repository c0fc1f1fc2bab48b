#pragma once

#include "core/analysis/reach/ReachAnalysis.h"
#include "core/query/PictureQuery.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

class CroppedPicture;
class HeadGrid;

/// The page of which pixels reach the query's token behind the chosen layer's block.
class ReachPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit ReachPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  std::optional<FollowedView> followedView() const override { return FollowedView{.signs = false}; }
  bool hasFigure() const override { return showsContent() && isLatest_ && !shown_.empty(); }
  std::optional<PageFigure> figure() const override;
  HeadGrid& maps() { return *maps_; }

 private:
  /// Identifies a computation. An inspection belongs to one model, picture and size.
  struct Subject {
    std::vector<AnalysedLayer> layers;
    ReachSettings settings;
    PictureQuery query;

    bool operator==(const Subject&) const = default;
  };
  /// The influences on the queried token, or the reason why they could not be computed.
  struct Answer {
    std::vector<LayerReach> reaches;
    std::string obstacle;
  };

  const Answer* computed(const AnalysedLayer& layer, const ReachSettings& settings);
  void readValue(int panel, int row, int column);
  void retry() override { answers_.retry(); }

  SettingControls<ReachSettings> controls_;
  HeadGrid* maps_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
  LatestResult<Subject, Answer> answers_;
  std::vector<LayerReach> shown_;
  /// False while `shown_` waits for the result of other settings or another query.
  bool isLatest_ = false;
  PictureQuery shownQuery_;
};

}  // namespace softscope
