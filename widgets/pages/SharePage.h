#pragma once

#include "core/analysis/ModelFunctions.h"
#include "widgets/analysis/ShareFigure.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>

namespace softscope {

class LayerHeadView;

/// The page that shows whether heat maps matter: how large the attention of every head of the
/// current model is compared with everything else that is added, and what the model answers without
/// it. Shares are available after one forward pass; knock-outs follow.
class SharePage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit SharePage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void releaseResults() override;
  bool hasFigure() const override { return complete_; }
  std::optional<PageFigure> figure() const override;
  LayerHeadView& view() { return *view_; }

 private:
  using Shared = std::shared_ptr<const ModelShare>;
  /// Identifies measured shares. An inspection belongs to one model, picture and size.
  struct Subject {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Inspection> inspection;

    bool operator==(const Subject&) const = default;
  };
  using Latest = LatestResult<Subject, Shared>;

  /// Returns what is known so far: everything, the shares alone, or null.
  Shared measured();
  void showMap(const ShareSettings& settings);
  void retry() override;
  void goTo(int layer);

  SettingControls<ShareSettings> controls_;
  LayerHeadView* view_;
  Latest shares_;
  Latest knockedOut_;
  MeasuredShare shown_;
  /// The data that the view shows.
  Shared drawn_;
  std::optional<ShareReference> drawnOf_;
  /// True if everything that was requested is available and shown.
  bool complete_ = false;
};

}  // namespace softscope
