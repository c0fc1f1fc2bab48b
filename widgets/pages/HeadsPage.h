#pragma once

#include "widgets/pages/Page.h"
#include "widgets/workspace/LayerLikeness.h"

#include <memory>
#include <optional>
#include <vector>

namespace softscope {

class CroppedPicture;
class HeadGrid;
struct HeadPanel;
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
