#pragma once

#include "widgets/analysis/LayerFigures.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/LatestResult.h"
#include "widgets/workspace/ModelRun.h"

#include <functional>
#include <memory>
#include <optional>

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

  /// Identifies knock-outs.
  struct KnockedOut {
    ModelRun run;

    bool operator==(const KnockedOut&) const = default;
  };

  /// Returns the measurement of the current model, of shares alone or of knock-outs, too.
  std::function<Shared(const Progress&)> measurement(bool knockouts) const;
  /// Returns what is known so far: everything, the shares alone, or null. Starts what is missing.
  Shared measured();
  void knockOut();
  void showMap(const ShareSettings& settings);
  /// Returns the settings that fit what is shown: of some live models, knock-outs alone are known.
  ShareSettings shownSettings() const;
  void retry() override { shares_.retry(); }
  void computeAgain() override;
  void goTo(int layer);

  SettingControls<ShareSettings> controls_;
  LayerHeadView* view_;
  Latest shares_;
  /// The knock-outs' job; empty if none are wanted.
  std::optional<Jobs::Job> job_;
  MeasuredShare shown_;
  /// The data that the view shows.
  Shared drawn_;
  std::optional<ShareReference> drawnOf_;
  /// True if everything that was requested is available and shown.
  bool complete_ = false;
};

}  // namespace softscope
