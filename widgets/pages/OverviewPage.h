#pragma once

#include "widgets/analysis/LayerFigures.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/pages/OverviewResults.h"
#include "widgets/views/HeadWallView.h"
#include "widgets/workspace/HeadWall.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QStackedWidget;

namespace softscope {

class CroppedPicture;
class HeadPanelView;
class LayerHeadView;

/// The page of all heads of the current model. As a wall, it shows what every head of every layer
/// answers to the query; as numbers, how far or how widely it attends on this picture, or its
/// largest entry.
class OverviewPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit OverviewPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  std::optional<FollowedView> followedView() const override;
  bool asksOnClick() const override { return false; }
  void showNow() override;
  void releaseResults() override;
  bool hasFigure() const override;
  std::optional<PageFigure> figure() const override;
  LayerHeadView& view() { return *view_; }
  HeadWallView& wall() { return *wall_; }
  /// Returns the panel of the head that is enlarged over the wall; it is hidden if none is.
  HeadPanelView& enlarged() { return *enlarged_; }

 protected:
  QWidget* keyTaker() override;

 private:
  /// Returns the heads of the layers that the wall shows under one map, in the wall's order.
  HeadsSubject wallSubject() const;
  /// Returns the heads that the wall shows as a figure of panels, layer by layer.
  std::optional<PageFigure> wallFigure() const;

  void makeWall();
  void retry() override;
  /// Enables the choices that have an effect on what is shown; the others say why they have none.
  void showEffects(const OverviewSettings& settings);
  void showNumbers(const OverviewResults::Overview& overview, OverviewMeasure of);
  void showWall(const OverviewResults::Overview* overview, const OverviewSettings& settings);
  /// Asks the worker, once it has nothing else to analyse, for what figures of the wall say.
  void prepareFigure();
  HeadThumbnail thumbnailOf(const HeadWallRow& row, std::size_t head) const;
  void enlarge(int layer, int index);
  /// Collects a head for Compare, or takes it out.
  void collect(int layer, int index);
  void showEnlarged();
  void closeEnlarged();
  void readWall(const WallPlace& place);
  void goTo(int layer);
  void readValue(int layer, int head);

  SettingControls<OverviewSettings> controls_;
  QStackedWidget* forms_;
  LayerHeadView* view_;
  HeadWallView* wall_;
  HeadPanelView* enlarged_;
  OverviewResults results_;
  /// The rows of the wall, one a layer.
  std::vector<HeadWallRow> rows_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
  /// The head that is enlarged: its layer and its number.
  std::optional<std::pair<int, int>> enlargedHead_;
  /// The data that the view shows, and (in `drawnOf_`) which quantity.
  std::shared_ptr<const OverviewResults::Overview> drawn_;
  OverviewMeasure drawnOf_ = OverviewMeasure::Distance;
};

}  // namespace softscope
