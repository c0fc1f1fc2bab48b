#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/query/AttentionValues.h"
#include "core/query/QueryToken.h"
#include "widgets/analysis/NormsFigure.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/paint/PictureImage.h"
#include "widgets/query/QueryHistory.h"
#include "widgets/settings/AnalysisSettings.h"
#include "widgets/settings/Comparison.h"
#include "widgets/settings/ViewSettings.h"
#include "widgets/workspace/OpenedModel.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QObject>
#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QImage>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Everything the window shows, in one place: widgets draw it, ask it to change, and hear what
/// changed. Slow changes run on a worker and happen at once when they are ready; a change that
/// fails leaves everything as it was.
class Workspace : public QObject {
  Q_OBJECT

 public:
  Workspace(ModelOpener opener, ModelInspector inspector, QObject* parent = nullptr);

  /// How shares are measured; without, there are none.
  void setShareMeasurer(ShareMeasurer measurer) { shareMeasurer_ = std::move(measurer); }
  const ShareMeasurer& shareMeasurer() const { return shareMeasurer_; }

  void openPicture(const QString& path);
  /// A picture that is no file, from the clipboard.
  void decodePicture(const QByteArray& bytes, const QString& name);
  const Picture* picture() const { return picture_.get(); }
  /// The same for figures, which may outlive it here.
  std::shared_ptr<const Picture> sharedPicture() const { return picture_; }
  /// False for a pasted one.
  bool pictureIsFile() const { return picture_ && pictureBytes_.isEmpty(); }
  const QImage& pictureImage() const { return pictureImage_; }

  /// In place of the current model.
  void openModel(const ModelRequest& request);
  /// As one more.
  void openBeside(const ModelRequest& request, bool becomesCurrent = true);
  void closeModel(int index);
  const std::vector<OpenedModel>& models() const { return models_; }
  /// The model that panels show, or null.
  const OpenedModel* current() const;
  int currentIndex() const { return current_; }
  void setCurrent(int index);
  /// Opens the current model again with another mechanism, other heads, or on another device.
  void setAttention(const std::string& mechanism);
  void setHeads(int heads);
  void setDevice(const std::string& device);
  void setInputSize(const InputSize& size);
  /// Runs models on the picture that have not seen it, after a cancelled or failed run.
  void inspectAgain();
  /// What models opened from now on are fed, unless setInputSize() says otherwise.
  void setFirstInputSize(const InputSize& size) { firstInputSize_ = size; }

  void setLayer(const std::string& name) { setLayerOf(current_, name); }
  /// The same for any model; where layers are linked, all others follow.
  void setLayerOf(int index, const std::string& name);
  /// The next layer in the order they run, or the one before.
  void stepLayer(int steps);
  /// The layer a new model shows; where it has none of that name, its first of several heads.
  void setFirstLayer(const std::string& name) { firstLayer_ = name; }

  const PictureQuery& query() const { return history_.now().active; }
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
  bool asksClassToken() const { return query().classToken && hasClassToken(); }

  /// Queries that stay while the other moves; at most as many as there are letters.
  const std::vector<PictureQuery>& pins() const { return history_.now().pins; }
  void pin(const PictureQuery& query);
  void unpin(int index);
  void clearPins();

  bool canUndo() const { return history_.canUndo(); }
  bool canRedo() const { return history_.canRedo(); }
  void undoQuery();
  void redoQuery();

  Direction direction() const { return direction_; }
  /// Columns of a large softmax are prepared on the worker; the direction changes when they are
  /// ready. So does the layer, where columns are shown.
  void setDirection(Direction direction);
  const ViewSettings& view() const { return view_; }
  void setView(const ViewSettings& view);
  bool includesMean() const { return includesMean_; }
  void setIncludesMean(bool includes);
  bool includesLargest() const { return includesLargest_; }
  void setIncludesLargest(bool includes);
  /// The head that is shown alone, the last one of layers that have fewer; nothing for all heads.
  std::optional<int> onlyHead() const;
  void setOnlyHead(std::optional<int> head);
  /// To the next head alone, or the one before; beyond the last and the first one are all heads.
  void stepHead(int by);
  const Comparison& comparison() const { return comparison_; }
  void setComparison(const Comparison& comparison);
  const AnalysisSettings& analysis() const { return analysis_; }
  void setAnalysis(const AnalysisSettings& analysis);
  /// The part that all panels show, in fractions of what the network saw.
  const QRectF& visible() const { return visible_; }
  /// Moved into [0, 1], and never smaller than a hundredth of it.
  void setVisible(const QRectF& visible);
  /// Zooms by `factor` (above 1: closer) about a point that stays where it is.
  void zoom(double factor, const QPointF& about);
  void pan(const QPointF& by);
  /// The page of the window that is in front.
  const QString& page() const { return page_; }
  void setPage(const QString& page);

  /// How the picture lies under the current model's grids.
  PictureExtent extent() const;
  PictureExtent extentOf(const OpenedModel& opened) const;
  /// The grid the query is chosen on, if the current layer has one.
  std::optional<TokenGrid> grid() const;
  /// The token the query means in the current layer.
  int token() const;
  /// What every head of the current layer, and their mean and largest if wanted, answers to the
  /// query. Empty before an inspection.
  std::vector<AttentionValues> answers() const;
  /// What the window shows, as a figure; its picture and layer are those of the screen.
  HeadsSubject figure() const;
  bool canExport() const { return current() && current()->shownLayer(); }
  /// The pins, lettered and coloured, and the query that moves unless it is one of them.
  std::vector<MarkedQuery> markedQueries() const;
  /// All models that have seen the picture, side by side.
  CompareSubject compareFigure() const;
  bool canCompare() const;
  /// What analyses are of, by their scope: the chosen layer or all, of the current model or all.
  std::vector<AnalysedLayer> analysedLayers() const;
  /// Runs the model that made `inspection` on the same picture at other sizes; may be called from
  /// the worker, whatever has become of the model since.
  NormsSubject::Run runOf(const std::shared_ptr<const Inspection>& inspection) const;
  /// The chosen layer of the current model alone; nothing before an inspection.
  std::optional<AnalysedLayer> analysedLayer() const;

  /// What it takes to have everything as it is now.
  WorkspaceState state() const;
  /// Makes everything as it was: at once what is plain, the rest as soon as it is read. What cannot
  /// be opened is told by failed(), the rest opens.
  void restore(const WorkspaceState& state);

  /// Prepares what a model that has seen the picture was fed; for the worker.
  std::function<InputTensor()> inputOf(const OpenedModel& opened) const;
  /// Runs `task` on the worker; a newer one takes its place, and so does a model or a picture.
  void analyse(const QString& what, Worker::Task task);
  bool isAnalysing() const { return worker_.isBusy(Worker::Kind::Analysis); }

  bool isBusy() const { return worker_.isBusy(); }
  bool isInspecting() const { return worker_.isBusy(Worker::Kind::Inspection); }
  void cancel();

 Q_SIGNALS:
  void pictureChanged();
  /// A model came, went, or became the current one.
  void modelChanged();
  /// A run ended, or what it showed no longer holds.
  void inspectionChanged();
  void layerChanged();
  /// The query, a pin, the direction, or what can be undone.
  void queryChanged();
  void viewChanged();
  void comparisonChanged();
  void analysisChanged();
  void pageChanged();
  void busyChanged(bool busy);
  void progressed(const QString& what, double fraction);
  void failed(const QString& message, const QString& details);

 private:
  /// A model that is asked for, and what it takes the place of.
  struct Opening {
    ModelRequest request;
    std::optional<int> replaces;
    InputSize inputSize;
    std::string layer;
    QString fingerprint;
    bool becomesCurrent = true;
    /// Asked for in place of a current model while there was none.
    bool inFront = false;
  };
  /// An opening that was read, on its way to the picture.
  struct Arrival {
    OpenedModel model;
    std::optional<int> replaces;
    bool becomesCurrent = true;
    bool inFront = false;
  };

  using Maps = std::vector<std::shared_ptr<const AttentionMap>>;

  /// Has the worker prepare columns of those maps that cannot give them at once, and call `then`;
  /// false where there is nothing to prepare.
  bool preparesColumns(Worker::Kind kind, Maps maps, std::function<void()> then);
  /// Gives a model a layer, and where layers are linked all others the one as deep.
  void changeLayers(int id, const std::string& name);

  OpenedModel* find(int id);
  void proceed();
  void readNextModel();
  void takePicture(std::shared_ptr<const Picture> picture, QImage image, QByteArray bytes);
  void takeModel(std::shared_ptr<const Model> model, const QString& fingerprint);
  /// What the current model is on its way to become, or what it is.
  ModelRequest wantedRequest() const;
  /// Opens the current model again as `request` says, unless it is that already.
  void reopen(const ModelRequest& request);
  /// Forgets what is asked for, and not there yet, in place of a model; without an id, in place of
  /// a current model while there was none.
  void forgetWishes(std::optional<int> replaced);
  void place(Arrival arrival);
  void inspect(const OpenedModel& opened);
  void takeInspection(OpenedModel done);
  void takeFailure(Worker::Kind kind, const QString& message);
  void tellModelChanged();
  std::string firstLayerOf(const OpenedModel& opened) const;
  PictureQuery within(PictureQuery query) const;
  void changeQueries(const Queries& next);

  ModelOpener opener_;
  ModelInspector inspector_;
  ShareMeasurer shareMeasurer_;

  std::shared_ptr<const Picture> picture_;
  QImage pictureImage_;
  /// Of a picture that is no file.
  QByteArray pictureBytes_;
  std::vector<OpenedModel> models_;
  int current_ = 0;
  int lastId_ = 0;
  std::deque<Opening> openings_;
  /// Opened, and running on the picture before it takes its place.
  std::optional<Arrival> arriving_;
  /// The model that is running.
  int running_ = 0;
  InputSize firstInputSize_;
  std::string firstLayer_;

  QueryHistory history_;
  Direction direction_ = Direction::Rows;
  ViewSettings view_;
  bool includesMean_ = true;
  std::optional<int> onlyHead_;
  bool includesLargest_ = false;
  Comparison comparison_;
  AnalysisSettings analysis_;
  QRectF visible_{0, 0, 1, 1};
  QString page_;

  /// Last, so that it stops before anything it delivers to is gone.
  Worker worker_;
};

}  // namespace softscope
