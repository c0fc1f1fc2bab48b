#pragma once

#include "widgets/pages/Page.h"
#include "widgets/workspace/SameAnswers.h"

#include <memory>
#include <vector>

namespace softscope {

class CroppedPicture;
class HeadGrid;
struct HeadPanel;
class LayerHeader;

/// The page of the current model's chosen layer: what it is, and every head's answer to the query.
class HeadsPage : public Page {
  Q_OBJECT

 public:
  explicit HeadsPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  void letGo() override;
  bool hasFigure() const override;
  std::optional<PageFigure> figure() const override;

 private:
  /// One head alone, or all of them again.
  void enlarge(int panel);
  void askMenu(int panel, const QPoint& globalPlace, const QPointF& place);
  void readValue(int panel, int row, int column);

  /// How alike the heads' answers are; null while it is not known, or does not matter.
  const std::vector<HeadLikeness>* sameAnswers();

  LayerHeader* header_;
  HeadGrid* heads_;
  SameAnswers same_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
};

}  // namespace softscope
