#pragma once

#include "widgets/workspace/OpenedModel.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

class OpenModels;
class OpenedPicture;
class ShownLayers;

/// The way of models into the workspace and onto the picture: they are read one after another, and
/// whoever has not seen the picture at the size that is wanted runs on it. A change that fails
/// leaves everything as it was.
class ModelQueue : public QObject {
  Q_OBJECT

 public:
  ModelQueue(ModelOpener opener, ModelInspector inspector, const OpenedPicture& picture,
             OpenModels& models, ShownLayers& layers, Worker& worker);

  /// In place of the current model. A recording brings its picture.
  void open(const ModelRequest& request);
  /// As one more. A recording brings its picture, unless that which is there is to be kept.
  void openBeside(const ModelRequest& request, bool becomesCurrent = true,
                  bool keepsPicture = false, const QString& name = {});
  /// The models of a workspace; `current` is the one that panels show.
  void openSaved(const std::vector<ModelState>& models, int current);
  /// With what is on its way in its place.
  void close(int index);

  /// Opens the current model again with another mechanism, other landmarks or heads, or on another
  /// device.
  void setAttention(const std::string& mechanism);
  void setLandmarks(const LandmarkChoice& landmarks);
  void setHeads(int heads);
  void setDevice(const std::string& device);
  /// Runs the current model at another size.
  void setInputSize(const InputSize& size);
  /// What models opened from now on are fed, unless setInputSize() says otherwise.
  void setFirstInputSize(const InputSize& size) { firstInputSize_ = size; }

  /// Runs models on the picture that have not seen it, after a cancelled or failed run.
  void inspectAgain();
  /// A recording that was not recorded on the picture that is there: the current model, or else the
  /// first such; null where there is none.
  const OpenedModel* ofOtherPicture() const;
  /// Brings the picture of that one, for all models.
  void bringPicture();
  /// Whether some model did not fit on its GPU, and has not run since.
  bool lacksGpuMemory() const { return !tooLarge_.empty(); }
  /// Opens those models again on the CPU.
  void runOnCpu();
  /// Stops whatever the worker does, and forgets what was to come.
  void cancel();

  /// What is on its way to stand beside the models that are open.
  std::vector<ModelState> arriving() const;

 Q_SIGNALS:
  /// A recording was opened, which is to be shown on its own picture.
  void pictureBrought(std::shared_ptr<const Picture> picture);
  /// A model's file is another one than when the workspace was saved.
  void fileDiffers(const QString& message, const QString& details);

 private:
  /// A model that is asked for, and what it takes the place of.
  struct Opening {
    ModelRequest request;
    std::optional<int> replaces;
    InputSize inputSize;
    std::string layer;
    QString fingerprint;
    QString givenName;
    bool becomesCurrent = true;
    /// Asked for in place of a current model while there was none.
    bool inFront = false;
    /// A recording is looked at on the picture that is there, if that is its own.
    bool keepsPicture = false;
  };
  /// An opening that was read, on its way to the picture.
  struct Arrival {
    OpenedModel model;
    std::optional<int> replaces;
    bool becomesCurrent = true;
    bool inFront = false;
  };

  void proceed();
  void readNext();
  void takeModel(std::shared_ptr<const Model> model, const QString& fingerprint);
  void inspect(const OpenedModel& opened);
  void takeInspection(OpenedModel done);
  void takeFailure(Worker::Kind kind, const WorkFailure& failure);
  /// What did not fit: what was being opened, or the model that ran, or those that an analysis
  /// asks.
  void noteTooLarge(Worker::Kind kind);
  void forgetTooLarge(int id);
  void place(Arrival arrival);
  /// What the current model is on its way to become, or what it is.
  ModelRequest wantedRequest() const;
  /// Opens the current model again as `request` says, unless it is that already.
  void reopen(const ModelRequest& request);
  /// Forgets what is asked for, and not there yet, in place of a model; without an id, in place of
  /// a current model while there was none.
  void forgetWishes(std::optional<int> replaced);

  ModelOpener opener_;
  ModelInspector inspector_;
  const OpenedPicture& picture_;
  OpenModels& models_;
  ShownLayers& layers_;
  Worker& worker_;

  std::deque<Opening> openings_;
  /// What did not fit on a GPU, as it would be opened again.
  std::vector<Opening> tooLarge_;
  /// Opened, and running on the picture before it takes its place.
  std::optional<Arrival> arriving_;
  int lastId_ = 0;
  /// The model that is running.
  int running_ = 0;
  InputSize firstInputSize_;
};

}  // namespace softscope
