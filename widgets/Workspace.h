#pragma once

#include "core/inspect/InputSize.h"
#include "widgets/AttentionValues.h"
#include "widgets/ModelRequest.h"
#include "widgets/PictureQuery.h"
#include "widgets/QueryToken.h"
#include "widgets/ViewSettings.h"
#include "widgets/Worker.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/figure/PictureImage.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtGui/QImage>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A model, what it was asked for, and its latest look at the picture.
struct OpenedModel {
  ModelRequest request;
  std::shared_ptr<const Model> model;
  InputSize inputSize;
  /// Null until the model has seen the picture.
  std::shared_ptr<const Inspection> inspection;
  /// The part of the picture that it saw.
  PictureRegion region;
  std::string layer;

  const ModelSummary& summary() const { return model->summary(); }
  /// The chosen layer, or null before an inspection.
  const LayerInspection* shownLayer() const;
  /// The file's name without its ending.
  QString name() const;
};

/// Everything the window shows, in one place: widgets draw it, ask it to change, and hear what
/// changed. Slow changes run on a worker and happen at once when they are ready; a change that
/// fails leaves everything as it was.
class Workspace : public QObject {
  Q_OBJECT

 public:
  Workspace(ModelOpener opener, ModelInspector inspector, QObject* parent = nullptr);

  void openPicture(const QString& path);
  /// A picture that is no file, from the clipboard.
  void decodePicture(const QByteArray& bytes, const QString& name);
  const Picture* picture() const { return picture_.get(); }
  const QImage& pictureImage() const { return pictureImage_; }

  void openModel(const ModelRequest& request);
  const std::vector<OpenedModel>& models() const { return models_; }
  /// The model that panels show, or null.
  const OpenedModel* current() const;
  /// Opens the current model again with another mechanism, or on another device.
  void setAttention(const std::string& mechanism);
  void setDevice(const std::string& device);
  void setInputSize(const InputSize& size);
  /// Runs the current model on the picture once more, after a cancelled or failed run.
  void inspectAgain();
  /// What models opened from now on are fed, unless setInputSize() says otherwise.
  void setFirstInputSize(const InputSize& size) { firstInputSize_ = size; }

  void setLayer(const std::string& name);
  /// The next layer in the order they run, or the one before.
  void stepLayer(int steps);
  /// The layer a new model shows; where it has none of that name, its first of several heads.
  void setFirstLayer(const std::string& name) { firstLayer_ = name; }

  const PictureQuery& query() const { return query_; }
  /// A new query, which undo takes back.
  void setQuery(const PictureQuery& query);
  /// Moves the query while a button is held: one step for undo, however far it goes.
  void dragQuery(const PictureQuery& query);
  /// Moves to the centre of a neighbouring patch, within the grid.
  void stepQuery(int rows, int columns);
  void setPatch(const Patch& patch);
  void toggleClassToken();
  bool hasClassToken() const;
  /// The query is the class token, in a layer that has one.
  bool asksClassToken() const { return query_.classToken && hasClassToken(); }
  bool canUndo() const { return !history_.past.empty(); }
  bool canRedo() const { return !history_.future.empty(); }
  void undoQuery();
  void redoQuery();

  Direction direction() const { return direction_; }
  void setDirection(Direction direction);
  const ViewSettings& view() const { return view_; }
  void setView(const ViewSettings& view);
  bool includesMean() const { return includesMean_; }
  void setIncludesMean(bool includes);

  /// How the picture lies under the current model's grids.
  PictureExtent extent() const;
  /// The grid the query is chosen on, if the current layer has one.
  std::optional<TokenGrid> grid() const;
  /// The token the query means in the current layer.
  int token() const;
  /// What every head of the current layer, and their mean if wanted, answers to the query. Empty
  /// before an inspection.
  std::vector<AttentionValues> answers() const;
  /// What the window shows, as a figure; its picture and layer are those of the screen.
  HeadsFigure figure() const;
  bool canExport() const { return current() && current()->shownLayer(); }

  bool isBusy() const { return worker_.isBusy(); }
  bool isInspecting() const { return worker_.isBusy(Worker::Kind::Inspection); }
  void cancel() { worker_.cancelAll(); }

 Q_SIGNALS:
  void pictureChanged();
  void modelChanged();
  /// A run ended, or what it showed no longer holds.
  void inspectionChanged();
  void layerChanged();
  /// The query, its direction, or what can be undone.
  void queryChanged();
  void viewChanged();
  void busyChanged(bool busy);
  void progressed(const QString& what, double fraction);
  void failed(const QString& message, const QString& details);

 private:
  struct QueryHistory {
    std::vector<PictureQuery> past;
    std::vector<PictureQuery> future;
  };

  OpenedModel* currentModel();
  void takePicture(std::shared_ptr<const Picture> picture, QImage image);
  void takeModel(OpenedModel opened);
  void replaceModel(OpenedModel opened);
  void inspect(const OpenedModel& opened);
  std::string firstLayerOf(const OpenedModel& opened) const;
  PictureQuery within(PictureQuery query) const;
  void moveQuery(const PictureQuery& query);

  ModelOpener opener_;
  ModelInspector inspector_;

  std::shared_ptr<const Picture> picture_;
  QImage pictureImage_;
  std::vector<OpenedModel> models_;
  /// Opened, and running on the picture before it takes the place of the one shown.
  std::optional<OpenedModel> arriving_;
  InputSize firstInputSize_;
  std::string firstLayer_;

  PictureQuery query_;
  QueryHistory history_;
  Direction direction_ = Direction::Rows;
  ViewSettings view_;
  bool includesMean_ = true;

  /// Last, so that it stops before anything it delivers to is gone.
  Worker worker_;
};

}  // namespace softscope
