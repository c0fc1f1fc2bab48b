#pragma once

#include "widgets/analysis/PatchFigures.h"
#include "widgets/pages/AnalysisPage.h"

#include <memory>
#include <optional>

namespace softscope {

class CroppedPicture;
class HeadGrid;

/// The page of the norms of queries and keys in the current model's chosen layer.
class SaliencyPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit SaliencyPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  std::optional<FollowedView> followedView() const override { return FollowedView{.signs = false}; }
  bool hasFigure() const override { return showsContent(); }
  std::optional<PageFigure> figure() const override;

 private:
  void readNorm(int panel, int row, int column);

  SettingControls<SaliencySettings> controls_;
  HeadGrid* maps_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
};

}  // namespace softscope
