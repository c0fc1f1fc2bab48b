#pragma once

#include "core/engine/Engine.h"
#include "widgets/workspace/OpenedModel.h"
#include "widgets/workspace/PendingModels.h"
#include "widgets/workspace/ToldLandmarks.h"
#include "widgets/workspace/TooLargeModels.h"
#include "widgets/workspace/UnopenedModels.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

class OpenModels;
class OpenedPicture;
class ShownLayers;
struct ReadModel;

/// How a model is opened in addition to others.
struct BesideOptions {
  bool becomesCurrent = true;
  /// False if a recording brings its picture.
  bool keepsPicture = false;
  /// The model's name; empty for that of its file.
  QString name;
  /// The layer that is shown, if the model has it; otherwise the one that suits the other models.
  std::string layer;
  /// The size of its input; without one, that of the current model.
  std::optional<InputSize> inputSize = {};
};

/// A model as it was asked for last.
struct WantedModel {
  ModelRequest request;
  /// The id of the model that is there; nothing if it is being opened in addition to the others.
  std::optional<int> id;
  /// True if it is still being opened, or opened again.
  bool isPending = false;
};

/// Brings models into the workspace and runs them on the picture: they are read one after another,
/// and each model that has not seen the picture at the wanted size is run on it. A change that
/// fails leaves everything as it was.
class ModelQueue : public QObject {
  Q_OBJECT

 public:
  ModelQueue(const Engine& engine, const OpenedPicture& picture, OpenModels& models,
             ShownLayers& layers, Worker& worker);

  /// Opens a model in place of the current one. A recording brings its picture.
  void open(const ModelRequest& request);
  /// Opens a model in addition to the others.
  void openBeside(const ModelRequest& request, const BesideOptions& options = {});
  /// Opens the models of a workspace; `current` is the index of the one that panels show. Models
  /// whose paths are in `missing` are not tried, and are in unopened() at once.
  void openSaved(const std::vector<ModelState>& models, int current,
                 const std::vector<QString>& missing = {});
  /// Opens a model in front of the others as a survey measured it: at its own size if that is the
  /// measured one.
  void openMeasured(const ModelState& model);
  /// Opens the model with that id again, after the checkpoint or the process behind it has changed;
  /// its layer and size stay.
  void openAgain(int id, const ModelRequest& request, const QString& name);
  /// Begins again to open what is being opened in addition from that path, because what is behind
  /// it has changed; false if nothing is.
  bool openArrivingAgain(const std::string& path);
  /// Leaves a model as it is, and cancels what is being opened in its place.
  void keep(int id);
  /// Closes a model, and cancels what is being opened in its place.
  void close(int index);

  /// Opens the current model again with another mechanism, other landmarks or heads, or on another
  /// device. A mechanism that was left and is chosen again has the number of trained landmarks that
  /// the user told.
  void setAttention(const std::string& mechanism);
  /// Returns the request that a model is being reopened with or, if none is pending, was opened
  /// with.
  ModelRequest wantedRequest(const OpenedModel& model) const;
  /// Returns the request for a model with another mechanism, with the number of trained landmarks
  /// that the user told for it.
  ModelRequest requestWith(const OpenedModel& model, const std::string& mechanism);
  void setLandmarks(const LandmarkChoice& landmarks);
  void setHeads(const HeadCounts& heads);
  /// Opens the current model again with another value of one of settingOptions().
  void setSetting(const std::string& option, const std::string& value);
  void setDevice(const std::string& device);
  /// Opens a model again with names for its classes from the file at `path`.
  void nameClasses(int index, const std::string& path);
  /// Runs the current model at another size.
  void setInputSize(const InputSize& size);
  /// Sets the input size of models opened from now on, unless setInputSize() sets another.
  void setFirstInputSize(const InputSize& size) { firstInputSize_ = size; }

  /// Sets the logit whose gradient is shown, and runs models again whose maps are not multiplied
  /// with it yet; without a logit, the products that there are stay.
  void setLogit(const std::optional<LogitRequest>& logit);

  /// Runs the models that have not seen the picture, after a cancelled or failed run.
  void inspectAgain();
  /// Returns a recording made on a picture other than the open one: the current model or else the
  /// first such model; null if there is none.
  const OpenedModel* ofOtherPicture() const;
  /// Opens the picture of the recording that ofOtherPicture() returns, for all models.
  void bringPicture();
  /// True if some model did not fit on its GPU, or its GPU is not there, and it has not run since.
  bool lacksGpuMemory() const { return !tooLarge_.isEmpty(); }
  /// Opens the models that did not fit on their GPU, or whose GPU is not there, on the CPU.
  void runOnCpu();
  /// Stops everything the worker does and drops all pending changes; models of a workspace that
  /// were still to be opened are in unopened().
  void cancel();

  /// Returns the models that are being opened in addition to those already open.
  std::vector<ModelState> arriving() const { return pending_.additional(); }
  /// Returns the index in arriving() of the model that panels show once all have arrived; nothing
  /// if they go on showing the present one.
  std::optional<int> currentOfArriving() const { return pending_.currentOfAdditional(); }
  /// Returns the models of the workspace that could not be opened or were cancelled before, in the
  /// order of their places, until others are opened in their stead or openSaved() opens another
  /// workspace.
  const std::vector<UnopenedModel>& unopened() const { return unopened_.all(); }
  void forgetUnopened() { unopened_.clear(); }
  /// Returns the open models, in their order, and those of arriving(), each as it was asked for
  /// last.
  std::vector<WantedModel> wanted() const;

 Q_SIGNALS:
  /// cancel() is about to drop all pending changes.
  void cancelled();
  /// The user is closing this model, which is still open.
  void closing(const softscope::OpenedModel& model);
  /// A recording was opened that is to be shown on its own picture.
  void pictureBrought(std::shared_ptr<const Picture> picture);
  /// A model's file has changed since the workspace was saved.
  void fileDiffers(const QString& message, const QString& details);

 private:
  /// Returns what opens a saved model; names of classes are left out, and that is said, if their
  /// file does not exist.
  ModelOpening savedOpening(const ModelState& model);
  void proceed();
  void readNext();
  void takeModel(const ReadModel& read);
  void inspect(const OpenedModel& opened);
  void takeInspection(OpenedModel done);
  void takeFailure(Worker::Kind kind, const WorkFailure& failure);
  /// Notes what did not fit or has no device: the model being opened, the model that ran, or the
  /// models that an analysis uses.
  void noteTooLarge(Worker::Kind kind);
  void place(ModelArrival arrival);
  /// Opens the current model again as `change` makes its request, unless that is already the case.
  void reopen(const std::function<void(const OpenedModel&, ModelRequest&)>& change);
  /// Drops pending requests that would replace the model with that id; without an id, those made to
  /// replace the current model while there was none.
  void forgetWishes(std::optional<int> replaced);

  const Engine& engine_;
  const OpenedPicture& picture_;
  OpenModels& models_;
  ShownLayers& layers_;
  Worker& worker_;

  PendingModels pending_;
  UnopenedModels unopened_;
  TooLargeModels tooLarge_;
  int lastId_ = 0;
  /// The id of the model that is running.
  int running_ = 0;
  InputSize firstInputSize_;
  std::optional<LogitRequest> logit_;
  ToldLandmarks toldLandmarks_;
};

}  // namespace softscope
