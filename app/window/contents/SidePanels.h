#pragma once

#include "app/window/contents/WindowDocks.h"
#include "core/query/PictureQuery.h"
#include "widgets/query/PictureMark.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QObject>
#include <QtCore/QPoint>

#include <optional>
#include <vector>

namespace softscope {

class LayerTree;
class ModelPanel;
class PictureView;
class PictureStrip;
class PinStrip;
class PredictionList;
class ViewPanel;
class Workspace;

/// The content of the docks: the picture with its queries, the predictions, the model, its layers
/// and the view. They show the workspace and change it.
class SidePanels : public QObject {
  Q_OBJECT

 public:
  /// The panels belong to the window that contents() is added to.
  explicit SidePanels(Workspace& workspace, QObject* parent = nullptr);

  DockContents contents() const;

  /// These functions show the present state of the workspace. Model and view are updated as they
  /// change; queries may move faster than they can be drawn, so they are updated only when the
  /// caller asks.
  void showModel();
  void showView();
  void showQueries();

  /// Enables the controls of the view that the page in front follows; empty if it draws no maps.
  void setFollowedView(const std::optional<FollowedView>& followed);
  /// Marks places that a page points at.
  void setPointed(const std::vector<PictureMark>& marks);

 Q_SIGNALS:
  /// The text about what is under the pointer changed.
  void readOut(const QString& text);
  /// The user asked for something impossible.
  void refused(const QString& message);

 private:
  void layOutPicture();
  void followWorkspace();
  void connectPicture();
  /// Reads the picture again, with its values stretched or as they are.
  void stretchPicture(bool stretched);
  /// Shows what speaks for a class.
  void showClass(int classIndex);
  void showPictureMenu(const QPoint& globalPlace, const std::optional<PictureQuery>& place);
  void connectModel();
  void connectView();
  void showPicture();
  void showModelPanel();
  void showChannels();
  void showLayer();
  void showPredictions();

  Workspace& workspace_;
  QWidget* picture_;
  PictureView* pictureView_;
  PictureStrip* strip_;
  PinStrip* pins_;
  PredictionList* predictions_;
  ModelPanel* model_;
  LayerTree* layers_;
  ViewPanel* view_;
};

}  // namespace softscope
