#include "widgets/workspace/ModelQueue.h"

#include "core/files/CheckpointFiles.h"
#include "core/files/FileVersion.h"
#include "core/image/SeenPicture.h"
#include "core/model/SettingOption.h"
#include "core/recording/RecordingPreview.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"

#include <QtCore/QFileInfo>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

QString modelFileName(const std::string& path) {
  return QFileInfo(QString::fromStdString(path)).fileName();
}

/// Returns what identifies a number of landmarks that was told: the file, and the mechanism that
/// the request leads to.
std::pair<std::string, std::string> landmarksKey(const OpenedModel& model,
                                                 const ModelRequest& request) {
  return {request.path, request.attention.value_or(model.summary().mechanism)};
}

/// Returns the file that a request takes the classes' names from, as it is now.
FileVersion namesVersion(const ModelRequest& request) {
  if (!request.classNames) return {};
  const std::vector<std::string> files{*request.classNames};
  return {files, stampOf(files), fileFingerprint(files.front())};
}

template <typename Model>
ModelState savedStateOf(const Model& model) {
  return {model.request,     model.inputSize, model.layer,
          model.fingerprint, model.givenName, model.marks};
}

/// Returns the model to run next, the current one first; null if there is none.
const OpenedModel* nextToRun(const OpenModels& models, const std::optional<LogitRequest>& logit) {
  const auto due = [&logit](const OpenedModel& model) {
    const bool lacksGradient = logit && model.inspection && model.logit != logit;
    return (!model.inspection || model.nextSize || lacksGradient) && model.failure.isEmpty();
  };
  const OpenedModel* current = models.current();
  if (current && due(*current)) return current;
  const auto next = std::find_if(models.all().begin(), models.all().end(), due);
  return next == models.all().end() ? nullptr : &*next;
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
  if (arriving_ && picture_.get()) {
    inspect(arriving_->model);
  } else if (arriving_) {
    place(*std::exchange(arriving_, std::nullopt));
    proceed();
  } else if (!openings_.empty()) {
    readNext();
  } else if (picture_.get()) {
    if (const OpenedModel* next = nextToRun(models_, logit_)) inspect(*next);
  }
}

void ModelQueue::open(const ModelRequest& request) {
  const OpenedModel* current = models_.current();
  Opening opening;
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
  openings_.push_front(opening);
  proceed();
}

void ModelQueue::openBeside(const ModelRequest& request, const BesideOptions& options) {
  const OpenedModel* current = models_.current();
  Opening opening;
  opening.request = request;
  opening.inputSize = options.inputSize.value_or(current ? current->wantedSize() : firstInputSize_);
  opening.becomesCurrent = options.becomesCurrent;
  opening.keepsPicture = options.keepsPicture;
  opening.givenName = options.name;
  opening.layer = options.layer;
  openings_.push_back(opening);
  proceed();
}

void ModelQueue::openSaved(const std::vector<ModelState>& models, int current,
                           const std::vector<QString>& missing) {
  unopened_.clear();
  for (int i = 0; i < static_cast<int>(models.size()); ++i) {
    const ModelState& model = models[static_cast<std::size_t>(i)];
    if (std::ranges::count(missing, QString::fromStdString(model.request.path)) > 0) {
      unopened_.push_back({model, i, i == current});
      continue;
    }
    openings_.push_back(savedOpening(model));
    openings_.back().becomesCurrent = i == current;
    openings_.back().place = i;
  }
  proceed();
}

void ModelQueue::openMeasured(const ModelState& model) {
  openings_.push_back(savedOpening(model));
  openings_.back().prefersOwnSize = true;
  proceed();
}

void ModelQueue::openAgain(int id, const ModelRequest& request, const QString& name) {
  const OpenedModel* model = models_.find(id);
  if (!model) return;
  Opening opening = openingOf(*model);
  opening.request = request;
  opening.replaces = id;
  opening.givenName = name;
  opening.becomesCurrent = model == models_.current();
  opening.keepsPicture = true;
  forgetWishes(id);
  if (id == running_) worker_.cancel(Worker::Kind::Inspection);
  openings_.push_back(std::move(opening));
  proceed();
}

ModelQueue::Opening ModelQueue::savedOpening(const ModelState& model) {
  Opening opening{model.request,     std::nullopt,    model.inputSize, model.layer,
                  model.fingerprint, model.givenName, model.marks};
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

ModelQueue::Opening ModelQueue::openingOf(const OpenedModel& model) {
  return {model.request,   std::nullopt, model.wantedSize(), model.layer, {},
          model.givenName, model.marks};
}

bool ModelQueue::openArrivingAgain(const std::string& path) {
  if (arriving_ && !arriving_->replaces && arriving_->model.request.path == path) {
    const Arrival arrival = *std::exchange(arriving_, std::nullopt);
    worker_.cancel(Worker::Kind::Inspection);
    Opening opening = openingOf(arrival.model);
    opening.becomesCurrent = arrival.becomesCurrent;
    opening.inFront = arrival.inFront;
    // A recording has brought its picture by now.
    opening.keepsPicture = true;
    openings_.push_front(std::move(opening));
    proceed();
    return true;
  }
  const auto opening = std::ranges::find_if(
      openings_, [&path](const Opening& one) { return !one.replaces && one.request.path == path; });
  if (opening == openings_.end()) return false;
  // Only the first may be being read.
  if (opening == openings_.begin()) worker_.cancel(Worker::Kind::Model);
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
  if (!openings_.empty() && isWished(openings_.front())) worker_.cancel(Worker::Kind::Model);
  std::erase_if(openings_, isWished);
  if (!arriving_ || !isWished(*arriving_)) return;
  arriving_.reset();
  worker_.cancel(Worker::Kind::Inspection);
}

void ModelQueue::readNext() {
  const ModelRequest request = openings_.front().request;
  worker_.submit(
      Worker::Kind::Model, tr("Opening %1").arg(modelFileName(request.path)),
      [this, request, openModel = engine_.openModel](const Progress& progress) -> Worker::Delivery {
        FileVersion read{.files = filesOfModel(request.path)};
        read.stamp = stampOf(read.files);
        const FileVersion names = namesVersion(request);
        auto model = openModel(request, progress);
        // Weights of a file that was replaced meanwhile may be of either.
        const std::string fingerprint = fileFingerprint(request.path);
        if (stampOf(read.files) == read.stamp) read.fingerprint = fingerprint;
        return [this, model, read, names] { takeModel(model, read, names); };
      });
  // Only now, so that the worker is busy all the while.
  worker_.cancel(Worker::Kind::Analysis);
}

void ModelQueue::takeModel(std::shared_ptr<const Model> model, FileVersion read,
                           FileVersion names) {
  const QString fingerprint = QString::fromStdString(read.fingerprint);
  const Opening opening = std::move(openings_.front());
  openings_.pop_front();
  // What the user newly opens stands for the same file of the workspace, or the model in front.
  const OpenedModel* before = opening.replaces ? models_.find(*opening.replaces) : nullptr;
  const bool isChange = before && before->request.path == opening.request.path;
  std::erase_if(unopened_, [&opening, isChange](const UnopenedModel& kept) {
    const bool isSame = !isChange && kept.state.request.path == opening.request.path;
    return !opening.place && (isSame || (opening.inFront && kept.isCurrent));
  });
  if (!opening.fingerprint.isEmpty() && opening.fingerprint != fingerprint) {
    Q_EMIT fileDiffers(tr("%1 is not the file it was when this workspace was saved.")
                           .arg(modelFileName(opening.request.path)),
                       tr("%1 has other content now. It was opened all the same.")
                           .arg(QString::fromStdString(opening.request.path)));
  }
  Arrival arrival;
  arrival.replaces = opening.replaces;
  arrival.becomesCurrent = opening.becomesCurrent;
  arrival.inFront = opening.inFront;
  OpenedModel& opened = arrival.model;
  opened.id = ++lastId_;
  opened.request = opening.request;
  opened.model = std::move(model);
  const ModelSummary& summary = opened.model->summary();
  const std::shared_ptr<const RecordedPicture> recorded = summary.recorded;
  // A recording has a fixed size, and a live model prepares its pictures itself.
  if (!recorded && !summary.isLive) opened.inputSize = opening.inputSize;
  if (opening.prefersOwnSize && inputSizeOf(summary.transform) == opened.inputSize) {
    opened.inputSize = InputSize();
  }
  opened.fingerprint = fingerprint;
  opened.files = std::move(read.files);
  opened.stamp = std::move(read.stamp);
  opened.names = std::move(names);
  opened.givenName = opening.givenName;
  opened.marks = opening.marks;
  opened.layer = opened.hasLayer(opening.layer) ? opening.layer : layers_.firstOf(opened);
  arriving_ = std::move(arrival);
  if (recorded && !opening.keepsPicture) {
    Q_EMIT pictureBrought(
        std::make_shared<const Picture>(pictureOf(*recorded, opening.request.path)));
  }
  proceed();
}

void ModelQueue::place(Arrival arrival) {
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
  const bool arrives = arriving_ && arriving_->model.id == done.id;
  const OpenedModel* before = models_.find(arrives ? arriving_->replaces.value_or(0) : done.id);
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
  forgetTooLarge(done.id);
  if (arrives) {
    Arrival arrival = *std::exchange(arriving_, std::nullopt);
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
  const OpenedModel* current = models_.current();
  if (current && isStray(*current)) return current;
  const auto stray = std::find_if(models_.all().begin(), models_.all().end(), isStray);
  return stray == models_.all().end() ? nullptr : &*stray;
}

void ModelQueue::bringPicture() {
  const OpenedModel* model = ofOtherPicture();
  if (!model) return;
  Q_EMIT pictureBrought(
      std::make_shared<const Picture>(pictureOf(*model->summary().recorded, model->request.path)));
}

void ModelQueue::noteTooLarge(Worker::Kind kind) {
  if (kind == Worker::Kind::Model) {
    tooLarge_.push_back(openings_.front());
    return;
  }
  const auto note = [this](const OpenedModel& model) {
    if (model.request.device == "cpu") return;
    forgetTooLarge(model.id);
    Opening again = openingOf(model);
    again.replaces = model.id;
    again.fingerprint = model.fingerprint;
    tooLarge_.push_back(std::move(again));
  };
  if (kind == Worker::Kind::Analysis) {
    // An analysis may use several models.
    for (const OpenedModel& model : models_.all()) note(model);
  } else if (arriving_ && arriving_->model.id == running_) {
    note(arriving_->model);
  } else if (const OpenedModel* model = models_.find(running_)) {
    note(*model);
  }
}

void ModelQueue::forgetTooLarge(int id) {
  std::erase_if(tooLarge_, [id](const Opening& opening) { return opening.replaces == id; });
}

void ModelQueue::runOnCpu() {
  for (Opening& opening : std::exchange(tooLarge_, {})) {
    if (opening.replaces && !models_.find(*opening.replaces)) continue;
    opening.request.device = "cpu";
    std::erase_if(unopened_, [&](const auto& kept) { return kept.place == opening.place; });
    openings_.push_back(std::move(opening));
  }
  proceed();
}

void ModelQueue::takeFailure(Worker::Kind kind, const WorkFailure& failure) {
  if (kind == Worker::Kind::Model) {
    keepUnopened(openings_.front());
    openings_.pop_front();
  }
  if (kind != Worker::Kind::Inspection) return;
  if (arriving_ && arriving_->model.id == running_) {
    // The model itself was opened; only its run failed.
    Arrival arrival = *std::exchange(arriving_, std::nullopt);
    arrival.model.failure = failure.message;
    place(std::move(arrival));
  } else {
    models_.noteFailure(running_, failure.message);
    models_.noteLogit(running_, logit_);
  }
  running_ = 0;
}

void ModelQueue::keepUnopened(const Opening& opening) {
  if (!opening.place) return;
  const auto after = std::ranges::upper_bound(unopened_, *opening.place, {}, &UnopenedModel::place);
  unopened_.insert(after, {savedStateOf(opening), *opening.place, opening.becomesCurrent});
}

void ModelQueue::cancel() {
  Q_EMIT cancelled();
  for (const Opening& opening : openings_) keepUnopened(opening);
  openings_.clear();
  tooLarge_.clear();
  models_.stopWaiting(tr("The run was cancelled."));
  for (const OpenedModel& model : models_.all()) models_.noteLogit(model.id, logit_);
  worker_.cancelAll();
  if (!arriving_) return;
  Arrival arrival = *std::exchange(arriving_, std::nullopt);
  arrival.model.failure = tr("The run was cancelled.");
  place(std::move(arrival));
}

void ModelQueue::inspectAgain() {
  models_.forgetFailures();
  proceed();
}

const ModelRequest* ModelQueue::pendingRequest(int id) const {
  const auto opening = std::ranges::find(openings_, std::optional(id), &Opening::replaces);
  if (opening != openings_.end()) return &opening->request;
  return arriving_ && arriving_->replaces == id ? &arriving_->model.request : nullptr;
}

ModelRequest ModelQueue::wantedRequest(const OpenedModel& model) const {
  const ModelRequest* pending = pendingRequest(model.id);
  // If another file is being opened there, the settings chosen for this one still count.
  return pending && pending->path == model.request.path ? *pending : model.request;
}

void ModelQueue::reopen(const ModelRequest& request) {
  const OpenedModel& current = *models_.current();
  if (request == wantedRequest(current)) return;
  if (request == current.request) {
    forgetWishes(current.id);
    proceed();
  } else {
    open(request);
  }
}

void ModelQueue::setAttention(const std::string& mechanism) {
  const OpenedModel* current = models_.current();
  if (!current) return;
  ModelRequest request = requestWith(*current, mechanism);
  if (current->summary().mechanism == mechanism) {
    request.attention = current->request.attention;
    request.landmarks = current->request.landmarks;
    addToldLandmarks(*current, request);
  }
  reopen(request);
}

ModelRequest ModelQueue::requestWith(const OpenedModel& model, const std::string& mechanism) {
  ModelRequest request = wantedRequest(model);
  noteToldLandmarks(model, request);
  request = withAttention(std::move(request), mechanism);
  addToldLandmarks(model, request);
  return request;
}

void ModelQueue::noteToldLandmarks(const OpenedModel& model, const ModelRequest& request) {
  const LandmarkChoice& landmarks = request.landmarks;
  if (!landmarks.isTrained() || !landmarks.count) return;
  toldLandmarks_[landmarksKey(model, request)] = *landmarks.count;
}

void ModelQueue::addToldLandmarks(const OpenedModel& model, ModelRequest& request) const {
  const auto told = toldLandmarks_.find(landmarksKey(model, request));
  if (told != toldLandmarks_.end() && request.landmarks.isTrained() && !request.landmarks.count) {
    request.landmarks.count = told->second;
  }
}

void ModelQueue::setLandmarks(const LandmarkChoice& landmarks) {
  const OpenedModel* current = models_.current();
  if (!current) return;
  ModelRequest request = wantedRequest(*current);
  request.landmarks = landmarks;
  reopen(request);
}

void ModelQueue::setHeads(const HeadCounts& heads) {
  const OpenedModel* current = models_.current();
  if (!current) return;
  ModelRequest request = wantedRequest(*current);
  const NetworkSetting* shown = current->summary().setting("heads");
  const bool isShown = shown && shown->value == heads.text();
  request.heads = isShown ? current->request.heads : heads;
  reopen(request);
}

void ModelQueue::setSetting(const std::string& option, const std::string& value) {
  const OpenedModel* current = models_.current();
  const SettingOption* chosen = findSettingOption(option);
  if (!current) return;
  ModelRequest request = wantedRequest(*current);
  if (option == "landmarks") {
    // How many were trained, where the file does not tell.
    setOption(request, option, value);
    return reopen(request);
  }
  if (!chosen) return;
  const NetworkSetting* shown = current->summary().setting(option);
  const bool isShown = shown && shown->value == value;
  request.*chosen->value = isShown ? current->request.*chosen->value : value;
  reopen(request);
}

void ModelQueue::setDevice(const std::string& device) {
  const OpenedModel* current = models_.current();
  if (!current) return;
  ModelRequest request = wantedRequest(*current);
  request.device = device;
  reopen(request);
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
  for (Opening& opening : openings_) {
    if (opening.replaces == current->id) opening.inputSize = size;
  }
  if (arriving_ && arriving_->replaces == current->id && arriving_->model.inputSize != size) {
    arriving_->model.inputSize = size;
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

std::vector<ModelState> ModelQueue::arriving() const {
  std::vector<ModelState> models;
  if (arriving_ && !arriving_->replaces) models.push_back(savedStateOf(arriving_->model));
  for (const Opening& opening : openings_) {
    if (!opening.replaces) models.push_back(savedStateOf(opening));
  }
  return models;
}

std::vector<WantedModel> ModelQueue::wanted() const {
  std::vector<WantedModel> models;
  for (const OpenedModel& model : models_.all()) {
    const ModelRequest* pending = pendingRequest(model.id);
    models.push_back({pending ? *pending : model.request, model.id, pending != nullptr});
  }
  for (const ModelState& model : arriving()) models.push_back({model.request, std::nullopt, true});
  return models;
}

std::optional<int> ModelQueue::currentOfArriving() const {
  std::optional<int> current;
  int index = 0;
  const auto note = [&](const auto& wish) {
    if (wish.replaces) return;
    // Each takes the place in front from those before it.
    if (wish.becomesCurrent) current = index;
    ++index;
  };
  if (arriving_) note(*arriving_);
  for (const Opening& opening : openings_) note(opening);
  return current;
}

}  // namespace softscope
