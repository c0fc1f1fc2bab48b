#pragma once

#include "core/analysis/ModelFunctions.h"
#include "widgets/analysis/ShareFigure.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>

namespace softscope {

class LayerHeadView;

/// The page that says whether heat maps matter: how large the attention of every head of the
/// current model is beside what else is added, and what the model answers without it. Shares are
/// there after one forward pass; knock-outs follow.
class SharePage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit SharePage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void letGo() override;
  bool hasFigure() const override { return complete_; }
  std::optional<PageFigure> figure() const override;
  LayerHeadView& view() { return *view_; }

 private:
  using Shared = std::shared_ptr<const ModelShare>;
  /// What shares are of. An inspection is of one model on one picture at one size.
  struct Subject {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Inspection> inspection;

    bool operator==(const Subject&) const = default;
  };
  using Latest = LatestResult<Subject, Shared>;

  /// What is known: everything, or the shares alone, or nothing yet.
  Shared measured();
  void showMap(const ShareSettings& settings);
  void retry() override;
  void goTo(int layer);

  SettingControls<ShareSettings> controls_;
  LayerHeadView* view_;
  Latest shares_;
  Latest knockedOut_;
  MeasuredShare shown_;
  /// What the view holds.
  Shared drawn_;
  std::optional<ShareOf> drawnOf_;
  /// Everything that was asked for is there, and shown.
  bool complete_ = false;
};

}  // namespace softscope
