#include "widgets/workspace/Workspace.h"

#include "widgets/figure/ModelOptions.h"
#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/ComparisonChoice.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/WorkspaceState.h"

#include <utility>

namespace softscope {
namespace {

void describePicture(const OpenedPicture& picture, WorkspaceState& state) {
  if (!picture.get()) return;
  state.pictureReading = picture.get()->source.reading;
  if (picture.isFile()) {
    state.picturePath = QString::fromStdString(absolutePath(picture.get()->path));
  } else {
    state.pictureName = QString::fromStdString(picture.get()->path);
    state.pictureBytes = picture.bytes();
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
    if (failure.isOfGpuMemory && queue_->lacksGpuMemory()) {
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
    ModelState saved{model.request,     model.wantedSize(), model.layer,
                     model.fingerprint, model.givenName,    model.marks};
    saved.request.path = absolutePath(model.request.path);
    state.models.push_back(std::move(saved));
  }
  // Models that are still being opened belong to the state, too.
  for (const ModelState& model : queue_->arriving()) state.models.push_back(model);
  state.current = models_->currentIndex();
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

void Workspace::restore(const WorkspaceState& state) {
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
  if (!state.pictureBytes.isEmpty()) {
    picture_->decode(state.pictureBytes, state.pictureName, state.pictureReading);
  } else if (!state.picturePath.isEmpty()) {
    picture_->open(state.picturePath, state.pictureReading);
  }
  queue_->openSaved(state.models, state.current);
}

}  // namespace softscope
