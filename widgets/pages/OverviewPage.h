#pragma once

#include "core/analysis/Share.h"
#include "widgets/analysis/LayerFigures.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/views/HeadWallView.h"
#include "widgets/workspace/HeadWall.h"
#include "widgets/workspace/LatestResult.h"

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
  HeadPanelView& closer() { return *closer_; }

 protected:
  QWidget* keyTaker() override;

 private:
  /// Returns the heads that the wall shows as a figure of panels, layer by layer.
  std::optional<PageFigure> wallFigure() const;
  struct Subject {
    std::vector<AnalysedLayer> layers;
    OverviewMeasure of = OverviewMeasure::Distance;

    bool operator==(const Subject&) const = default;
  };

  /// Identifies measured shares.
  struct Shared {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Inspection> inspection;

    bool operator==(const Shared&) const = default;
  };
  /// Identifies the numbers that heads are sorted by.
  struct Ordered {
    std::vector<AnalysedLayer> layers;
    HeadOrder order = HeadOrder::Measure;

    bool operator==(const Ordered&) const = default;
  };
  using Share = std::shared_ptr<const ModelShare>;
  using Overview = std::vector<LayerOverview>;

  void makeWall();
  void retry() override;
  const Overview* measured(const OverviewSettings& settings);
  /// Enables the choices that have an effect on what is shown; the others say why they have none.
  void showEffects(const OverviewSettings& settings);
  void showNumbers(const Overview& overview, OverviewMeasure of);
  void showWall(const Overview* overview, const OverviewSettings& settings);
  /// Returns the shares of the current model's heads; null until they are measured, and for a model
  /// that has none.
  const ModelShare* shares();
  /// Returns the numbers by which heads are sorted; null until they are known.
  std::shared_ptr<const HeadNumbers> orderNumbers(const Overview& overview, HeadOrder order);
  HeadThumbnail thumbnailOf(const HeadWallRow& row, std::size_t head) const;
  void enlarge(int layer, int index);
  /// Collects a head for Compare, or takes it out.
  void collect(int layer, int index);
  void showCloser();
  void closeCloser();
  void readWall(const WallPlace& place);
  void goTo(int layer);
  void readValue(int layer, int head);

  SettingControls<OverviewSettings> controls_;
  QStackedWidget* forms_;
  LayerHeadView* view_;
  HeadWallView* wall_;
  HeadPanelView* closer_;
  LatestResult<Subject, Overview> overview_;
  LatestResult<Shared, Share> shares_;
  LatestResult<Ordered, HeadNumbers> numbers_;
  /// The rows of the wall, one a layer.
  std::vector<HeadWallRow> rows_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
  /// The head that is enlarged: its layer and its number.
  std::optional<std::pair<int, int>> enlarged_;
  /// The data that the view shows, and (in `drawnOf_`) which quantity.
  std::shared_ptr<const Overview> drawn_;
  OverviewMeasure drawnOf_ = OverviewMeasure::Distance;
};

}  // namespace softscope
