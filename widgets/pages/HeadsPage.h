#pragma once

#include "widgets/pages/Page.h"

#include <memory>

namespace softscope {

class CroppedPicture;
class HeadGrid;
class LayerHeader;

/// The page of the current model's chosen layer: what it is, and every head's answer to the query.
class HeadsPage : public Page {
  Q_OBJECT

 public:
  explicit HeadsPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  bool hasFigure() const override;
  std::optional<PageFigure> figure() const override;

 private:
  /// One head alone, or all of them again.
  void enlarge(int panel);
  void readValue(int panel, int row, int column);

  LayerHeader* header_;
  HeadGrid* heads_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
};

}  // namespace softscope
