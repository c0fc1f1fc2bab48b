// How pictures and models come into the workspace, run, and go.

#include "widgets/workspace/Workspace.h"

#include <QtCore/QFileInfo>

#include <algorithm>

namespace softscope {
namespace {

/// Whatever is being found out about the picture that is there.
void stopRuns(Worker& worker) {
  worker.cancel(Worker::Kind::Inspection);
  worker.cancel(Worker::Kind::Analysis);
}

QString fileName(const std::string& path) {
  return QFileInfo(QString::fromStdString(path)).fileName();
}

}  // namespace

/// Pictures, models and runs follow one another: whatever ends calls this for what comes next.
void Workspace::proceed() {
  if (worker_.isBusy(Worker::Kind::Picture) || worker_.isBusy(Worker::Kind::Model) ||
      worker_.isBusy(Worker::Kind::Inspection)) {
    return;
  }
  if (arriving_ && picture_) {
    inspect(arriving_->model);
  } else if (arriving_) {
    place(*std::exchange(arriving_, std::nullopt));
    proceed();
  } else if (!openings_.empty()) {
    readNextModel();
  } else if (picture_) {
    // The one that is looked at runs first.
    const auto due = [](const OpenedModel& model) {
      return (!model.inspection || model.nextSize) && model.failure.isEmpty();
    };
    const auto next = std::find_if(models_.begin(), models_.end(), due);
    if (current() && due(*current())) {
      inspect(*current());
    } else if (next != models_.end()) {
      inspect(*next);
    }
  }
}

void Workspace::openPicture(const QString& path) {
  stopRuns(worker_);
  const std::string file = path.toStdString();
  worker_.submit(Worker::Kind::Picture, tr("Reading %1").arg(QFileInfo(path).fileName()),
                 [this, file](const Progress&) -> Worker::Delivery {
                   auto picture = std::make_shared<const Picture>(readPicture(file));
                   QImage image = softscope::pictureImage(*picture);
                   return [this, picture, image] { takePicture(picture, image, {}); };
                 });
}

void Workspace::decodePicture(const QByteArray& bytes, const QString& name) {
  stopRuns(worker_);
  worker_.submit(Worker::Kind::Picture, tr("Reading %1").arg(name),
                 [this, bytes, title = name.toStdString()](const Progress&) -> Worker::Delivery {
                   auto picture = std::make_shared<const Picture>(softscope::decodePicture(
                       reinterpret_cast<const std::uint8_t*>(bytes.constData()),
                       static_cast<std::size_t>(bytes.size()), title));
                   QImage image = softscope::pictureImage(*picture);
                   return [this, picture, image, bytes] { takePicture(picture, image, bytes); };
                 });
}

void Workspace::takePicture(std::shared_ptr<const Picture> picture, QImage image,
                            QByteArray bytes) {
  // What was begun while this was read is of the picture before.
  stopRuns(worker_);
  picture_ = std::move(picture);
  pictureImage_ = std::move(image);
  pictureBytes_ = std::move(bytes);
  history_.forget();
  for (OpenedModel& opened : models_) {
    opened.inspection.reset();
    opened.failure.clear();
    opened.inputSize = opened.wantedSize();
    opened.nextSize.reset();
  }
  Q_EMIT pictureChanged();
  Q_EMIT inspectionChanged();
  Q_EMIT queryChanged();
  proceed();
}

void Workspace::openModel(const ModelRequest& request) {
  Opening opening;
  opening.request = request;
  opening.inputSize = firstInputSize_;
  opening.inFront = !current();
  if (current()) {
    opening.inputSize = current()->wantedSize();
    opening.replaces = current()->id;
  }
  // This is a newer wish for the same place.
  forgetWishes(opening.replaces);
  // Whatever else is on its way begins anew after it.
  worker_.cancel(Worker::Kind::Inspection);
  worker_.cancel(Worker::Kind::Model);
  openings_.push_front(opening);
  proceed();
}

void Workspace::forgetWishes(std::optional<int> replaced) {
  const auto isWished = [&](const auto& wish) {
    return replaced ? wish.replaces == replaced : wish.inFront;
  };
  // The first one is being read.
  if (!openings_.empty() && isWished(openings_.front())) worker_.cancel(Worker::Kind::Model);
  std::erase_if(openings_, isWished);
  if (!arriving_ || !isWished(*arriving_)) return;
  arriving_.reset();
  worker_.cancel(Worker::Kind::Inspection);
}

void Workspace::openBeside(const ModelRequest& request, bool becomesCurrent) {
  Opening opening;
  opening.request = request;
  opening.inputSize = current() ? current()->wantedSize() : firstInputSize_;
  opening.becomesCurrent = becomesCurrent;
  openings_.push_back(opening);
  proceed();
}

void Workspace::readNextModel() {
  worker_.cancel(Worker::Kind::Analysis);
  const ModelRequest request = openings_.front().request;
  worker_.submit(Worker::Kind::Model, tr("Opening %1").arg(fileName(request.path)),
                 [this, request](const Progress& progress) -> Worker::Delivery {
                   auto model = opener_(request, progress);
                   const QString fingerprint =
                       fileFingerprint(QString::fromStdString(request.path));
                   return [this, model, fingerprint] { takeModel(model, fingerprint); };
                 });
}

void Workspace::takeModel(std::shared_ptr<const Model> model, const QString& fingerprint) {
  const Opening opening = std::move(openings_.front());
  openings_.pop_front();
  if (!opening.fingerprint.isEmpty() && opening.fingerprint != fingerprint) {
    Q_EMIT failed(tr("%1 is not the file it was when this workspace was saved.")
                      .arg(fileName(opening.request.path)),
                  tr("%1 has other content now. It was opened all the same.")
                      .arg(QString::fromStdString(opening.request.path)));
  }
  Arrival arrival;
  arrival.replaces = opening.replaces;
  arrival.becomesCurrent = opening.becomesCurrent;
  arrival.inFront = opening.inFront;
  arrival.model.id = ++lastId_;
  arrival.model.request = opening.request;
  arrival.model.model = std::move(model);
  arrival.model.inputSize = opening.inputSize;
  arrival.model.fingerprint = fingerprint;
  arrival.model.layer = opening.layer;
  const std::vector<LayerSummary>& layers = arrival.model.summary().layers;
  const bool known = std::any_of(layers.begin(), layers.end(), [&](const LayerSummary& layer) {
    return layer.name == opening.layer;
  });
  if (!known) arrival.model.layer = firstLayerOf(arrival.model);
  arriving_ = std::move(arrival);
  proceed();
}

void Workspace::place(Arrival arrival) {
  OpenedModel* replaced = arrival.replaces ? find(*arrival.replaces) : nullptr;
  const auto index = static_cast<int>(models_.size());
  if (replaced) {
    *replaced = std::move(arrival.model);
  } else {
    models_.push_back(std::move(arrival.model));
    if (arrival.becomesCurrent) current_ = index;
  }
  tellModelChanged();
}

void Workspace::tellModelChanged() {
  Q_EMIT modelChanged();
  Q_EMIT inspectionChanged();
  Q_EMIT layerChanged();
  Q_EMIT queryChanged();
}

void Workspace::closeModel(int index) {
  if (index < 0 || index >= static_cast<int>(models_.size())) return;
  const auto row = models_.begin() + index;
  if (row->id == running_) worker_.cancel(Worker::Kind::Inspection);
  forgetWishes(row->id);
  models_.erase(row);
  const int last = std::max(0, static_cast<int>(models_.size()) - 1);
  current_ = std::clamp(index < current_ ? current_ - 1 : current_, 0, last);
  tellModelChanged();
  proceed();
}

void Workspace::setCurrent(int index) {
  if (index == current_ || index < 0 || index >= static_cast<int>(models_.size())) return;
  current_ = index;
  tellModelChanged();
}

void Workspace::inspect(const OpenedModel& opened) {
  const InputSize size = opened.wantedSize();
  const InputTransform transform = withInputSize(opened.summary().transform, size);
  running_ = opened.id;
  worker_.cancel(Worker::Kind::Analysis);
  worker_.submit(Worker::Kind::Inspection, tr("Running %1 on the picture").arg(opened.name()),
                 [this, transform, size, opened,
                  picture = picture_](const Progress& progress) -> Worker::Delivery {
                   const PreparedPicture prepared = preparePicture(*picture, transform);
                   progress.throwIfCancelled();
                   OpenedModel done = opened;
                   done.failure.clear();
                   done.inputSize = size;
                   done.nextSize.reset();
                   done.region = prepared.region;
                   done.inspection = inspector_(*opened.model, prepared.input, progress);
                   const std::vector<LayerInspection>& layers = done.inspection->layers;
                   if (!done.shownLayer() && !layers.empty()) done.layer = layers.front().name;
                   return [this, done] { takeInspection(done); };
                 });
}

void Workspace::takeInspection(OpenedModel done) {
  // The layer may have been changed while the model ran, on it or on what it takes the place of.
  const bool arrives = arriving_ && arriving_->model.id == done.id;
  const OpenedModel* before = find(arrives ? arriving_->replaces.value_or(0) : done.id);
  if (before && done.inspection->find(before->layer)) done.layer = before->layer;
  const LayerInspection* shown = done.shownLayer();
  if (direction_ == Direction::Columns && shown &&
      preparesColumns(Worker::Kind::Inspection, {shown->attention},
                      [this, done] { takeInspection(done); })) {
    return;
  }
  running_ = 0;
  if (arrives) {
    Arrival arrival = *std::exchange(arriving_, std::nullopt);
    arrival.model = done;
    place(std::move(arrival));
  } else if (OpenedModel* row = find(done.id)) {
    *row = done;
    tellModelChanged();
  }
  proceed();
}

void Workspace::takeFailure(Worker::Kind kind, const QString& message) {
  if (kind == Worker::Kind::Model) openings_.pop_front();
  if (kind != Worker::Kind::Inspection) return;
  if (arriving_ && arriving_->model.id == running_) {
    // The model itself was opened.
    Arrival arrival = *std::exchange(arriving_, std::nullopt);
    arrival.model.failure = message;
    place(std::move(arrival));
  } else if (OpenedModel* row = find(running_); row && !row->inspection) {
    row->failure = message;
    tellModelChanged();
  } else if (row) {
    row->nextSize.reset();
  }
  running_ = 0;
}

std::function<InputTensor()> Workspace::inputOf(const OpenedModel& opened) const {
  const InputTransform transform = withInputSize(opened.summary().transform, opened.inputSize);
  return [transform, picture = picture_] { return preparePicture(*picture, transform).input; };
}

void Workspace::analyse(const QString& what, Worker::Task task) {
  worker_.submit(Worker::Kind::Analysis, what, std::move(task));
}

void Workspace::cancel() {
  openings_.clear();
  for (OpenedModel& model : models_) {
    model.nextSize.reset();
    if (!model.inspection && model.failure.isEmpty()) model.failure = tr("The run was cancelled.");
  }
  worker_.cancelAll();
  if (!arriving_) return;
  Arrival arrival = *std::exchange(arriving_, std::nullopt);
  arrival.model.failure = tr("The run was cancelled.");
  place(std::move(arrival));
}

void Workspace::inspectAgain() {
  for (OpenedModel& model : models_) model.failure.clear();
  proceed();
}

ModelRequest Workspace::wantedRequest() const {
  const ModelRequest& now = current()->request;
  // Another file on its way there is no reason to forget what was chosen for this one.
  const auto isWish = [&](const ModelRequest& request, std::optional<int> replaces) {
    return replaces == current()->id && request.path == now.path;
  };
  for (const Opening& opening : openings_) {
    if (isWish(opening.request, opening.replaces)) return opening.request;
  }
  if (arriving_ && isWish(arriving_->model.request, arriving_->replaces)) {
    return arriving_->model.request;
  }
  return now;
}

void Workspace::reopen(const ModelRequest& request) {
  if (request == wantedRequest()) return;
  if (request == current()->request) {
    forgetWishes(current()->id);
    proceed();
  } else {
    openModel(request);
  }
}

void Workspace::setAttention(const std::string& mechanism) {
  if (!current()) return;
  ModelRequest request = wantedRequest();
  const bool shown = current()->summary().mechanism == mechanism;
  request.attention = shown ? current()->request.attention : mechanism;
  reopen(request);
}

void Workspace::setHeads(int heads) {
  if (!current()) return;
  ModelRequest request = wantedRequest();
  const std::vector<int>& allowed = current()->summary().headsAlternatives;
  const bool shown = !allowed.empty() && allowed.front() == heads;
  request.heads = shown ? current()->request.heads : heads;
  reopen(request);
}

void Workspace::setDevice(const std::string& device) {
  if (!current()) return;
  ModelRequest request = wantedRequest();
  request.device = device;
  reopen(request);
}

void Workspace::setInputSize(const InputSize& size) {
  if (!current()) {
    firstInputSize_ = size;
    return;
  }
  OpenedModel& model = models_[static_cast<std::size_t>(current_)];
  for (Opening& opening : openings_) {
    if (opening.replaces == model.id) opening.inputSize = size;
  }
  if (arriving_ && arriving_->replaces == model.id && arriving_->model.inputSize != size) {
    arriving_->model.inputSize = size;
    worker_.cancel(Worker::Kind::Inspection);
  }
  if (model.wantedSize() != size) {
    if (model.id == running_) worker_.cancel(Worker::Kind::Inspection);
    model.failure.clear();
    if (!model.inspection) {
      model.inputSize = size;
      tellModelChanged();
    } else if (model.inputSize == size) {
      model.nextSize.reset();
    } else {
      model.nextSize = size;
    }
  }
  proceed();
}

}  // namespace softscope
