#include "widgets/workspace/ModelQueue.h"

#include "core/image/SeenPicture.h"
#include "core/recording/RecordingPreview.h"
#include "widgets/workspace/ChosenSettings.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ReadModel.h"
#include "widgets/workspace/ShownLayers.h"

#include <QtCore/QFileInfo>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

QString modelFileName(const std::string& path) {
  return QFileInfo(QString::fromStdString(path)).fileName();
}

/// Returns the model to run next, the current one first; null if there is none.
const OpenedModel* nextToRun(const OpenModels& models, const std::optional<LogitRequest>& logit) {
  const auto due = [&logit](const OpenedModel& model) {
    const bool lacksGradient = logit && model.inspection && model.logit != logit;
    return (!model.inspection || model.nextSize || lacksGradient) && model.failure.isEmpty();
  };
  return models.currentOrFirst(due);
}

}  // namespace

ModelQueue::ModelQueue(const Engine& engine, const OpenedPicture& picture, OpenModels& models,
                       ShownLayers& layers, Worker& worker)
    : engine_(engine), picture_(picture), models_(models), layers_(layers), worker_(worker) {
  connect(&picture, &OpenedPicture::changed, this, [this] {
    models_.forgetInspections();
    proceed();
  });
  connect(&worker, &Worker::failed, this, [this](Worker::Kind kind, const WorkFailure& failure) {
    const bool lacksDevice = failure.isOfDevice && kind == Worker::Kind::Model;
    if (failure.isOfGpuMemory || lacksDevice) noteTooLarge(kind);
    takeFailure(kind, failure);
    proceed();
  });
}

/// Starts the next step; called whenever one ends. Pictures, models and runs follow one another.
void ModelQueue::proceed() {
  if (worker_.isBusy(Worker::Kind::Picture) || worker_.isBusy(Worker::Kind::Model) ||
      worker_.isBusy(Worker::Kind::Inspection)) {
    return;
  }
  if (pending_.arriving && picture_.get()) {
    inspect(pending_.arriving->model);
  } else if (pending_.arriving) {
    place(pending_.takeArriving());
    proceed();
  } else if (!pending_.openings.empty()) {
    readNext();
  } else if (picture_.get()) {
    if (const OpenedModel* next = nextToRun(models_, logit_)) inspect(*next);
  }
}

void ModelQueue::open(const ModelRequest& request) {
  const OpenedModel* current = models_.current();
  ModelOpening opening;
  opening.request = request;
  opening.inputSize = firstInputSize_;
  opening.inFront = !current;
  if (current) {
    opening.inputSize = current->wantedSize();
    opening.replaces = current->id;
    // A different file is a different model, so it does not inherit the name that the user gave.
    if (current->request.path == request.path) {
      opening.givenName = current->givenName;
      opening.marks = current->marks;
    }
  }
  // This request supersedes earlier ones for the same place.
  forgetWishes(opening.replaces);
  // Other pending work is cancelled and starts again afterwards.
  worker_.cancel(Worker::Kind::Inspection);
  worker_.cancel(Worker::Kind::Model);
  pending_.openings.push_front(opening);
  proceed();
}

void ModelQueue::openBeside(const ModelRequest& request, const BesideOptions& options) {
  const OpenedModel* current = models_.current();
  ModelOpening opening;
  opening.request = request;
  opening.inputSize = options.inputSize.value_or(current ? current->wantedSize() : firstInputSize_);
  opening.becomesCurrent = options.becomesCurrent;
  opening.keepsPicture = options.keepsPicture;
  opening.givenName = options.name;
  opening.layer = options.layer;
  pending_.openings.push_back(opening);
  proceed();
}

void ModelQueue::openSaved(const std::vector<ModelState>& models, int current,
                           const std::vector<QString>& missing) {
  unopened_.clear();
  for (int i = 0; i < static_cast<int>(models.size()); ++i) {
    const ModelState& model = models[static_cast<std::size_t>(i)];
    if (std::ranges::count(missing, QString::fromStdString(model.request.path)) > 0) {
      unopened_.keep({model, i, i == current});
      continue;
    }
    pending_.openings.push_back(savedOpening(model));
    pending_.openings.back().becomesCurrent = i == current;
    pending_.openings.back().place = i;
  }
  proceed();
}

void ModelQueue::openMeasured(const ModelState& model) {
  pending_.openings.push_back(savedOpening(model));
  pending_.openings.back().prefersOwnSize = true;
  proceed();
}

void ModelQueue::openAgain(int id, const ModelRequest& request, const QString& name) {
  const OpenedModel* model = models_.find(id);
  if (!model) return;
  ModelOpening opening = openingOf(*model);
  opening.request = request;
  opening.replaces = id;
  opening.givenName = name;
  opening.becomesCurrent = model == models_.current();
  opening.keepsPicture = true;
  forgetWishes(id);
  if (id == running_) worker_.cancel(Worker::Kind::Inspection);
  pending_.openings.push_back(std::move(opening));
  proceed();
}

ModelOpening ModelQueue::savedOpening(const ModelState& model) {
  ModelOpening opening = openingOf(model);
  opening.keepsPicture = true;
  std::optional<std::string>& names = opening.request.classNames;
  if (!names || QFileInfo::exists(QString::fromStdString(*names))) return opening;
  Q_EMIT fileDiffers(
      tr("The names of the classes of %1 are gone.").arg(modelFileName(model.request.path)),
      tr("%1 does not exist. The model was opened all the same; File, Class names… "
         "gives its classes names again.")
          .arg(QString::fromStdString(*names)));
  names.reset();
  return opening;
}

bool ModelQueue::openArrivingAgain(const std::string& path) {
  if (pending_.arriving && !pending_.arriving->replaces &&
      pending_.arriving->model.request.path == path) {
    const ModelArrival arrival = pending_.takeArriving();
    worker_.cancel(Worker::Kind::Inspection);
    ModelOpening opening = openingOf(arrival.model);
    opening.becomesCurrent = arrival.becomesCurrent;
    opening.inFront = arrival.inFront;
    // A recording has brought its picture by now.
    opening.keepsPicture = true;
    pending_.openings.push_front(std::move(opening));
    proceed();
    return true;
  }
  const auto opening = std::ranges::find_if(pending_.openings, [&path](const ModelOpening& one) {
    return !one.replaces && one.request.path == path;
  });
  if (opening == pending_.openings.end()) return false;
  // Only the first may be being read.
  if (opening == pending_.openings.begin()) worker_.cancel(Worker::Kind::Model);
  proceed();
  return true;
}

void ModelQueue::keep(int id) {
  forgetWishes(id);
  proceed();
}

void ModelQueue::close(int index) {
  if (index < 0 || index >= static_cast<int>(models_.all().size())) return;
  const OpenedModel& model = models_.all()[static_cast<std::size_t>(index)];
  const int id = model.id;
  Q_EMIT closing(model);
  if (id == running_) worker_.cancel(Worker::Kind::Inspection);
  forgetWishes(id);
  models_.remove(index);
  proceed();
}

void ModelQueue::forgetWishes(std::optional<int> replaced) {
  const auto isWished = [&](const auto& wish) {
    return replaced ? wish.replaces == replaced : wish.inFront;
  };
  // The first request may be being read, so its work is cancelled.
  if (!pending_.openings.empty() && isWished(pending_.openings.front())) {
    worker_.cancel(Worker::Kind::Model);
  }
  std::erase_if(pending_.openings, isWished);
  if (!pending_.arriving || !isWished(*pending_.arriving)) return;
  pending_.arriving.reset();
  worker_.cancel(Worker::Kind::Inspection);
}

void ModelQueue::readNext() {
  const ModelRequest request = pending_.openings.front().request;
  worker_.submit(
      Worker::Kind::Model, tr("Opening %1").arg(modelFileName(request.path)),
      [this, request, openModel = engine_.openModel](const Progress& progress) -> Worker::Delivery {
        const ReadModel read = readModel(request, openModel, progress);
        return [this, read] { takeModel(read); };
      });
  // Only now, so that the worker is busy all the while.
  worker_.cancel(Worker::Kind::Analysis);
}

void ModelQueue::takeModel(const ReadModel& read) {
  const QString fingerprint = QString::fromStdString(read.files.fingerprint);
  const ModelOpening opening = std::move(pending_.openings.front());
  pending_.openings.pop_front();
  // What the user newly opens stands for the same file of the workspace, or the model in front.
  const OpenedModel* before = opening.replaces ? models_.find(*opening.replaces) : nullptr;
  const bool isChange = before && before->request.path == opening.request.path;
  if (!opening.place) unopened_.forgetFor(opening, isChange);
  if (!opening.fingerprint.isEmpty() && opening.fingerprint != fingerprint) {
    Q_EMIT fileDiffers(tr("%1 is not the file it was when this workspace was saved.")
                           .arg(modelFileName(opening.request.path)),
                       tr("%1 has other content now. It was opened all the same.")
                           .arg(QString::fromStdString(opening.request.path)));
  }
  ModelArrival arrival = arrivalOf(opening, read, ++lastId_);
  OpenedModel& opened = arrival.model;
  opened.layer = opened.hasLayer(opening.layer) ? opening.layer : layers_.firstOf(opened);
  const std::shared_ptr<const RecordedPicture> recorded = opened.summary().recorded;
  pending_.arriving = std::move(arrival);
  if (recorded && !opening.keepsPicture) {
    Q_EMIT pictureBrought(
        std::make_shared<const Picture>(pictureOf(*recorded, opening.request.path)));
  }
  proceed();
}

void ModelQueue::place(ModelArrival arrival) {
  models_.place(std::move(arrival.model), arrival.replaces, arrival.becomesCurrent);
}

void ModelQueue::inspect(const OpenedModel& opened) {
  running_ = opened.id;
  worker_.submit(
      Worker::Kind::Inspection, tr("Running %1 on the picture").arg(opened.name()),
      [this, opened, picture = picture_.shared(), inspect = engine_.inspect,
       options = InspectionOptions{.logit = logit_}](const Progress& progress) -> Worker::Delivery {
        const OpenedModel done = inspected(opened, *picture, inspect, options, progress);
        return [this, done] { takeInspection(done); };
      });
  worker_.cancel(Worker::Kind::Analysis);
}

void ModelQueue::takeInspection(OpenedModel done) {
  // While the model ran, the user may have changed its layer, or that of the model it replaces.
  const bool arrives = pending_.isArriving(done.id);
  const OpenedModel* before =
      models_.find(arrives ? pending_.arriving->replaces.value_or(0) : done.id);
  if (before && done.inspection->find(before->layer)) done.layer = before->layer;
  // The user may also have changed its name, silenced it or collected heads of it.
  if (before && before->request.path == done.request.path) {
    done.givenName = before->givenName;
    done.marks = before->marks;
  }
  ShownLayers::Maps shown;
  for (const LayerInspection* layer : done.shownLayers()) shown.push_back(layer->attention);
  if (layers_.direction() == Direction::Columns &&
      layers_.preparesColumns(Worker::Kind::Inspection, std::move(shown),
                              [this, done] { takeInspection(done); })) {
    return;
  }
  running_ = 0;
  tooLarge_.forget(done.id);
  if (arrives) {
    ModelArrival arrival = pending_.takeArriving();
    arrival.model = done;
    place(std::move(arrival));
  } else {
    models_.update(done);
  }
  proceed();
}

const OpenedModel* ModelQueue::ofOtherPicture() const {
  const Picture* picture = picture_.get();
  const auto isStray = [picture](const OpenedModel& model) {
    return picture && !model.inspection && model.summary().recorded &&
           !isRecordedOn(*model.summary().recorded, *picture);
  };
  return models_.currentOrFirst(isStray);
}

void ModelQueue::bringPicture() {
  const OpenedModel* model = ofOtherPicture();
  if (!model) return;
  Q_EMIT pictureBrought(
      std::make_shared<const Picture>(pictureOf(*model->summary().recorded, model->request.path)));
}

void ModelQueue::noteTooLarge(Worker::Kind kind) {
  if (kind == Worker::Kind::Model) {
    return tooLarge_.add(pending_.openings.front());
  }
  if (kind == Worker::Kind::Analysis) {
    // An analysis may use several models.
    for (const OpenedModel& model : models_.all()) tooLarge_.add(model);
  } else if (pending_.isArriving(running_)) {
    tooLarge_.add(pending_.arriving->model);
  } else if (const OpenedModel* model = models_.find(running_)) {
    tooLarge_.add(*model);
  }
}

void ModelQueue::runOnCpu() {
  for (const ModelOpening& opening : tooLarge_.takeForCpu()) {
    if (opening.replaces && !models_.find(*opening.replaces)) continue;
    if (opening.place) unopened_.forgetPlace(*opening.place);
    pending_.openings.push_back(opening);
  }
  proceed();
}

void ModelQueue::takeFailure(Worker::Kind kind, const WorkFailure& failure) {
  if (kind == Worker::Kind::Model) {
    unopened_.keep(pending_.openings.front());
    pending_.openings.pop_front();
  }
  if (kind != Worker::Kind::Inspection) return;
  if (pending_.isArriving(running_)) {
    // The model itself was opened; only its run failed.
    ModelArrival arrival = pending_.takeArriving();
    arrival.model.failure = failure.message;
    place(std::move(arrival));
  } else {
    models_.noteFailure(running_, failure.message);
    models_.noteLogit(running_, logit_);
  }
  running_ = 0;
}

void ModelQueue::cancel() {
  Q_EMIT cancelled();
  for (const ModelOpening& opening : pending_.openings) unopened_.keep(opening);
  pending_.openings.clear();
  tooLarge_.clear();
  models_.stopWaiting(tr("The run was cancelled."));
  for (const OpenedModel& model : models_.all()) models_.noteLogit(model.id, logit_);
  worker_.cancelAll();
  if (!pending_.arriving) return;
  ModelArrival arrival = pending_.takeArriving();
  arrival.model.failure = tr("The run was cancelled.");
  place(std::move(arrival));
}

void ModelQueue::inspectAgain() {
  models_.forgetFailures();
  proceed();
}

ModelRequest ModelQueue::wantedRequest(const OpenedModel& model) const {
  const ModelRequest* pending = pending_.requestFor(model.id);
  // If another file is being opened there, the settings chosen for this one still count.
  return pending && pending->path == model.request.path ? *pending : model.request;
}

void ModelQueue::reopen(const std::function<void(const OpenedModel&, ModelRequest&)>& change) {
  const OpenedModel* current = models_.current();
  if (!current) return;
  const ModelRequest wanted = wantedRequest(*current);
  ModelRequest request = wanted;
  change(*current, request);
  if (request == wanted) return;
  if (request == current->request) {
    forgetWishes(current->id);
    proceed();
  } else {
    open(request);
  }
}

void ModelQueue::setAttention(const std::string& mechanism) {
  reopen([&](const OpenedModel& current, ModelRequest& request) {
    request = requestWith(current, mechanism);
    if (current.summary().mechanism != mechanism) return;
    request.attention = current.request.attention;
    request.landmarks = current.request.landmarks;
    toldLandmarks_.addTo(request, current);
  });
}

ModelRequest ModelQueue::requestWith(const OpenedModel& model, const std::string& mechanism) {
  ModelRequest request = wantedRequest(model);
  toldLandmarks_.note(model, request);
  request = withAttention(std::move(request), mechanism);
  toldLandmarks_.addTo(request, model);
  return request;
}

void ModelQueue::setLandmarks(const LandmarkChoice& landmarks) {
  reopen([&](const OpenedModel&, ModelRequest& request) { request.landmarks = landmarks; });
}

void ModelQueue::setHeads(const HeadCounts& heads) {
  reopen([&](const OpenedModel& current, ModelRequest& request) {
    chooseHeads(request, heads, current);
  });
}

void ModelQueue::setSetting(const std::string& option, const std::string& value) {
  reopen([&](const OpenedModel& current, ModelRequest& request) {
    chooseSetting(request, option, value, current);
  });
}

void ModelQueue::setDevice(const std::string& device) {
  reopen([&](const OpenedModel&, ModelRequest& request) { request.device = device; });
}

void ModelQueue::nameClasses(int index, const std::string& path) {
  const std::vector<OpenedModel>& all = models_.all();
  if (index < 0 || index >= static_cast<int>(all.size())) return;
  const OpenedModel& model = all[static_cast<std::size_t>(index)];
  ModelRequest request = wantedRequest(model);
  request.classNames = path;
  openAgain(model.id, request, model.givenName);
}

void ModelQueue::setInputSize(const InputSize& size) {
  const OpenedModel* current = models_.current();
  if (!current) {
    firstInputSize_ = size;
    return;
  }
  for (ModelOpening& opening : pending_.openings) {
    if (opening.replaces == current->id) opening.inputSize = size;
  }
  if (pending_.arriving && pending_.arriving->replaces == current->id &&
      pending_.arriving->model.inputSize != size) {
    pending_.arriving->model.inputSize = size;
    worker_.cancel(Worker::Kind::Inspection);
  }
  if (current->wantedSize() != size) {
    if (current->id == running_) worker_.cancel(Worker::Kind::Inspection);
    models_.wantSize(current->id, size);
  }
  proceed();
}

void ModelQueue::setLogit(const std::optional<LogitRequest>& logit) {
  if (logit == logit_) return;
  logit_ = logit;
  if (!logit_) return;
  // The run in progress would be one without this gradient.
  if (running_ != 0) worker_.cancel(Worker::Kind::Inspection);
  proceed();
}

std::vector<WantedModel> ModelQueue::wanted() const {
  std::vector<WantedModel> models;
  for (const OpenedModel& model : models_.all()) {
    const ModelRequest* pending = pending_.requestFor(model.id);
    models.push_back({pending ? *pending : model.request, model.id, pending != nullptr});
  }
  for (const ModelState& model : arriving()) models.push_back({model.request, std::nullopt, true});
  return models;
}

}  // namespace softscope
