#pragma once

#include <QtCore/QPointF>
#include <QtWidgets/QWidget>

#include <memory>

namespace softscope {

class CroppedPicture;
class HeadGrid;
class LayerHeader;
class Workspace;

/// The page of the current model's chosen layer: what it is, and every head's answer to the query.
class HeadsPage : public QWidget {
  Q_OBJECT

 public:
  explicit HeadsPage(Workspace& workspace, QWidget* parent = nullptr);

  /// The picture as the current inspection saw it; call it when either changed.
  void takePicture();
  /// Draws what the workspace holds now.
  void showHeads();

 Q_SIGNALS:
  /// The value under the pointer, in words; empty when the pointer has left.
  void readOut(const QString& text);

 private:
  void readValue(int panel, int row, int column);

  Workspace& workspace_;
  LayerHeader* header_;
  HeadGrid* heads_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
};

}  // namespace softscope
