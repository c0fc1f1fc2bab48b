#pragma once

#include "core/inspect/LayerMap.h"
#include "core/query/HeadLikeness.h"
#include "widgets/pages/Page.h"
#include "widgets/workspace/LatestResult.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace softscope {

class Workspace;

/// Determines which heads of the shown layer give almost the same answer to every query. The worker
/// computes this once for each layer; before that, and for maps that are too large, nothing is
/// known.
class LayerLikeness {
 public:
  /// `arrived` is called when the result is available; the references outlive this object.
  LayerLikeness(const Workspace& workspace, Worker& worker, std::function<void()> arrived);

  /// Returns the likeness of each head of the shown layer; null while it is not known.
  const std::vector<HeadLikeness>* get();
  /// Returns what get() has found for the shown layer; null if nothing yet.
  SharedLikeness known() const;
  /// Allows get() to ask again for what was cancelled; see LatestResult::retry().
  void retry() { likeness_.retry(); }
  /// Drops the result of a layer that is no longer open.
  void releaseResults();

 private:
  struct Subject {
    /// The layer's attention, which identifies the layer.
    std::shared_ptr<const AttentionMap> attention;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Subject&) const = default;
  };

  /// Empty if there is no layer, or if its map is too large.
  std::optional<Subject> subject() const;

  const Workspace& workspace_;
  LatestResult<Subject, std::vector<HeadLikeness>> likeness_;
};

class CroppedPicture;
class HeadGrid;
class LayerHeader;

/// The page of the current model's chosen layer: its description and every head's answer to the
/// query.
class HeadsPage : public Page {
  Q_OBJECT

 public:
  explicit HeadsPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  std::optional<FollowedView> followedView() const override {
    return FollowedView{.overHeads = true};
  }
  bool hasFigure() const override;
  std::optional<PageFigure> figure() const override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// Shows one head alone, or all heads again; `asked` is true if the click before has asked.
  void enlarge(int panel, bool asked);
  void askMenu(int panel, const QPoint& globalPlace, const QPointF& place);
  void readValue(int panel, int row, int column);

  /// Returns how alike the heads' answers are; null if that is not known or not relevant.
  SharedLikeness headLikeness();

  LayerHeader* header_;
  HeadGrid* heads_;
  LayerLikeness same_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
  /// The query before the latest press on a panel, which may be the first of a double click.
  std::optional<PictureQuery> beforePress_;
};

}  // namespace softscope
