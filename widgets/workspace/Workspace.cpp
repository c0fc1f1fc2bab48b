#include "widgets/workspace/Workspace.h"

#include "core/live/LiveModels.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/WorkspaceState.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace softscope {
namespace {

void describePicture(const OpenedPicture& picture, WorkspaceState& state) {
  std::optional<PictureRequest> request = picture.request();
  if (!request) request = picture.unopened();
  if (!request) return;
  state.pictureReading = request->reading;
  if (request->bytes.isEmpty()) {
    state.picturePath = QString::fromStdString(absolutePath(request->path.toStdString()));
    state.pictureFingerprint = QString::fromStdString(request->fingerprint);
  } else {
    state.pictureName = request->path;
    state.pictureBytes = request->bytes;
  }
}

std::optional<PictureRequest> pictureOfState(const WorkspaceState& state) {
  if (!state.pictureBytes.isEmpty()) {
    return PictureRequest{state.pictureName, state.pictureBytes, state.pictureReading};
  }
  if (state.picturePath.isEmpty()) return std::nullopt;
  return PictureRequest{
      state.picturePath, {}, state.pictureReading, state.pictureFingerprint.toStdString()};
}

/// Returns the model with paths that mean the same from any folder.
ModelState withAbsolutePaths(ModelState model) {
  ModelRequest& request = model.request;
  // A model in a Python process has a name in place of a path.
  if (liveName(request.path).empty()) request.path = absolutePath(request.path);
  if (request.classNames) request.classNames = absolutePath(*request.classNames);
  return model;
}

/// Puts the models of the workspace that could not be opened back at their places.
void addUnopened(const ModelQueue& queue, WorkspaceState& state) {
  const bool isAnyOpen = !state.models.empty();
  for (const UnopenedModel& model : queue.unopened()) {
    const int place = std::min(model.place, static_cast<int>(state.models.size()));
    state.models.insert(state.models.begin() + place, withAbsolutePaths(model.state));
    if (isAnyOpen && state.current >= place) ++state.current;
    if (!isAnyOpen && model.isCurrent) state.current = place;
  }
}

}  // namespace

Workspace::Workspace(Engine engine, QObject* parent)
    : QObject(parent),
      engine_(std::move(engine)),
      worker_(std::make_unique<Worker>()),
      jobs_(std::make_unique<Jobs>()),
      picture_(std::make_unique<OpenedPicture>(*worker_)),
      models_(std::make_unique<OpenModels>()),
      comparison_(std::make_unique<ComparisonChoice>()),
      layers_(std::make_unique<ShownLayers>(*models_, *comparison_, *worker_)),
      queue_(std::make_unique<ModelQueue>(engine_, *picture_, *models_, *layers_, *worker_)),
      queries_(std::make_unique<AskedQueries>(*picture_, *models_, *layers_)),
      view_(std::make_unique<ViewChoice>(*models_)),
      analysis_(std::make_unique<AnalysisChoice>()) {
  connectParts();
  prepareWorker();
}

Workspace::~Workspace() = default;

void Workspace::connectParts() {
  // The queue was connected first, so it has already noted what did not fit.
  connect(worker_.get(), &Worker::failed, this, [this](Worker::Kind, const WorkFailure& failure) {
    const bool isOfGpu = failure.isOfGpuMemory || failure.isOfDevice;
    if (isOfGpu && queue_->lacksGpuMemory()) {
      Q_EMIT gpuMemoryLacked(failure.message, failure.details);
    } else if (failure.isOfOtherPicture) {
      Q_EMIT pictureDiffers(failure.message, failure.details);
    } else {
      Q_EMIT failed(failure.message, failure.details);
    }
  });
  connect(jobs_.get(), &Jobs::failed, this,
          [this](const WorkFailure& failure) { Q_EMIT failed(failure.message, failure.details); });
  connect(queue_.get(), &ModelQueue::pictureBrought, picture_.get(), &OpenedPicture::show);
  connect(queue_.get(), &ModelQueue::fileDiffers, this, &Workspace::failed);
  connect(picture_.get(), &OpenedPicture::fileDiffers, this, &Workspace::failed);
  connect(picture_.get(), &OpenedPicture::changed, this, &Workspace::changed);
  connect(models_.get(), &OpenModels::changed, this, &Workspace::changed);
  connect(models_.get(), &OpenModels::layerChanged, this, &Workspace::changed);
  connect(queries_.get(), &AskedQueries::changed, this, &Workspace::changed);
  connect(view_.get(), &ViewChoice::changed, this,
          [this] { models_->showChannel(view_->channel().chosen()); });
  connect(view_.get(), &ViewChoice::changed, this, &Workspace::changed);
  connect(comparison_.get(), &ComparisonChoice::changed, this, &Workspace::changed);
  connect(analysis_.get(), &AnalysisChoice::changed, this, &Workspace::changed);
  connect(this, &Workspace::pageChanged, this, &Workspace::changed);
  const auto askForGradient = [this] { queue_->setLogit(shownLogit(*this)); };
  connect(view_.get(), &ViewChoice::changed, this, askForGradient);
  connect(analysis_.get(), &AnalysisChoice::changed, this, askForGradient);
}

void Workspace::setPage(const QString& page) {
  if (page == page_) return;
  page_ = page;
  Q_EMIT pageChanged();
}

void Workspace::setCompute(const ComputeSettings& compute) {
  if (compute == compute_) return;
  compute_ = compute;
  prepareWorker();
  Q_EMIT computeChanged();
}

void Workspace::prepareWorker() {
  // The numerical libraries keep the number separately for each thread.
  const auto prepare = [setThreads = engine_.setThreads, threads = compute_.threads] {
    if (setThreads) setThreads(threads);
  };
  worker_->setPreparation(prepare);
  jobs_->setPreparation(prepare);
}

WorkspaceState Workspace::state() const {
  WorkspaceState state;
  describePicture(*picture_, state);
  for (const OpenedModel& model : models_->all()) {
    state.models.push_back(withAbsolutePaths({model.request, model.wantedSize(), model.layer,
                                              model.fingerprint, model.givenName, model.marks}));
  }
  // Models that are still being opened belong to the state, too.
  for (const ModelState& model : queue_->arriving()) {
    state.models.push_back(withAbsolutePaths(model));
  }
  const std::optional<int> next = queue_->currentOfArriving();
  const int open = static_cast<int>(models_->all().size());
  state.current = next ? open + *next : models_->currentIndex();
  addUnopened(*queue_, state);
  state.queries = queries_->state();
  state.direction = layers_->direction();
  state.view = view_->settings();
  state.map = {view_->map()};
  state.channel = view_->channel();
  state.overHeads = view_->overHeads();
  state.onlyHead = view_->chosenHead();
  state.comparison = comparison_->settings();
  state.analysis = analysis_->settings();
  state.visible = view_->visible();
  state.page = page_;
  return state;
}

void Workspace::restore(const WorkspaceState& state, const std::vector<QString>& missing) {
  queue_->cancel();
  models_->clear();
  picture_->close();
  queries_->restore(state.queries);
  layers_->setDirection(state.direction);
  view_->set(state.view);
  view_->setMap(state.map.map);
  view_->setChannel(state.channel);
  view_->setOverHeads(state.overHeads);
  view_->setOnlyHead(state.onlyHead);
  view_->setVisible(state.visible);
  comparison_->set(state.comparison);
  analysis_->set(state.analysis);
  setPage(state.page);
  if (const std::optional<PictureRequest> saved = pictureOfState(state)) {
    const bool isMissing = std::ranges::find(missing, saved->path) != missing.end();
    picture_->openSaved(*saved, saved->bytes.isEmpty() && isMissing);
  }
  queue_->openSaved(state.models, state.current, missing);
}

bool Workspace::hasUnopened() const {
  return !queue_->unopened().empty() || picture_->unopened();
}

void Workspace::forgetUnopened() {
  queue_->forgetUnopened();
  picture_->forgetUnopened();
  Q_EMIT changed();
}

}  // namespace softscope
