#include "app/window/live/OpenSeries.h"

#include "app/window/live/StepBar.h"
#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QSaveFile>

#include <algorithm>
#include <utility>

namespace softscope {

ModelSeries::ModelSeries(QString name, std::int64_t budget)
    : name_(std::move(name)),
      folder_(std::make_unique<QTemporaryDir>(QString::fromStdString(temporaryPattern()))),
      budget_(budget) {}

ModelSeries::ModelSeries(const CheckpointSeries& series)
    : name_(QString::fromStdString(series.name)) {
  for (const CheckpointSeries::Step& step : series.steps) {
    steps_.push_back(step.number);
    paths_.push_back(QString::fromStdString(step.path));
  }
}

void ModelSeries::add(const LiveStep& step) {
  const auto size = static_cast<std::int64_t>(step.recording.size());
  const auto place = std::lower_bound(steps_.begin(), steps_.end(), step.step);
  const bool isKnown = place != steps_.end() && *place == step.step;
  const QString path = folder_->filePath(QStringLiteral("step_%1.safetensors").arg(step.step));
  const std::int64_t others = bytes_ - (isKnown ? QFileInfo(path).size() : 0);
  if (others + size > budget_) {
    throw FileError(name_.toStdString(),
                    "its steps would take more than 4 GB; later ones are not kept");
  }
  QSaveFile file(path);
  const bool written = folder_->isValid() && file.open(QIODevice::WriteOnly) &&
                       file.write(step.recording.data(), size) == size && file.commit();
  if (!written) throw FileError(path.toStdString(), file.errorString().toStdString());
  bytes_ = others + size;
  if (isKnown) return;
  paths_.insert(paths_.begin() + (place - steps_.begin()), path);
  steps_.insert(place, step.step);
}

std::optional<std::size_t> ModelSeries::find(const QString& path) const {
  const auto found = std::find(paths_.begin(), paths_.end(), path);
  if (found == paths_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - paths_.begin());
}

bool ModelSeries::sharesSteps(const ModelSeries& other) const {
  return std::any_of(paths_.begin(), paths_.end(),
                     [&](const QString& path) { return other.find(path).has_value(); });
}

QString ModelSeries::title(std::size_t index) const {
  return QStringLiteral("%1, step %2").arg(name_).arg(steps_[index]);
}

namespace {

ModelRequest requestAt(ModelRequest request, const QString& path) {
  request.path = path.toStdString();
  return request;
}

std::vector<CheckpointSeries> seriesAt(const QString& place) {
  try {
    return findSeries(place.toStdString());
  } catch (const FileError&) {
    return {};
  }
}

/// Returns the series that a file is the step of with this title; null if there is none.
std::unique_ptr<ModelSeries> seriesWithStep(const QString& path, const QString& title) {
  const qsizetype nameEnd = title.lastIndexOf(QLatin1String(", step "));
  if (nameEnd < 0) return nullptr;
  const QFileInfo file(path);
  // It was opened as a folder, or by a name with wildcards.
  const QString pattern = title.left(nameEnd) + u'.' + file.suffix();
  for (const QString& place : {file.path(), file.dir().filePath(pattern)}) {
    for (const CheckpointSeries& each : seriesAt(place)) {
      auto series = std::make_unique<ModelSeries>(each);
      const auto index = series->find(path);
      if (index && series->title(*index) == title) return series;
    }
  }
  return nullptr;
}

}  // namespace

OpenSeries::OpenSeries(Workspace& workspace, StepBar& bar) : workspace_(workspace), bar_(bar) {
  connect(&workspace.models(), &OpenModels::changed, this, [this] {
    takeUpSaved();
    showSteps();
    catchUp();
  });
  connect(&workspace.worker(), &Worker::failed, this, &OpenSeries::passFailed);
  connect(&workspace.queue(), &ModelQueue::cancelled, this, [this] {
    behind_.clear();
    followed_.clear();
  });
  // A step that failed or was cancelled is not shown.
  connect(&workspace.worker(), &Worker::busyChanged, this, [this](bool busy) {
    if (!busy) showSteps();
  });
  connect(&bar, &StepBar::stepWanted, this, &OpenSeries::goToStep);
}

OpenSeries::~OpenSeries() = default;

bool OpenSeries::open(const ModelRequest& request, bool becomesCurrent) {
  const std::vector<CheckpointSeries> found = findSeries(request.path);
  for (const CheckpointSeries& each : found) {
    auto opened = std::make_unique<ModelSeries>(each);
    // A folder that was opened before may have more steps by now.
    std::erase_if(series_, [&](const auto& known) {
      if (!known->sharesSteps(*opened)) return false;
      behind_.erase(known.get());
      followed_.erase(known.get());
      return true;
    });
    series_.push_back(std::move(opened));
    const ModelSeries& series = *series_.back();
    const std::size_t last = series.steps().size() - 1;
    workspace_.queue().openBeside(
        requestAt(request, series.path(last)),
        {.becomesCurrent = becomesCurrent, .keepsPicture = true, .name = series.title(last)});
    becomesCurrent = false;
  }
  return !found.empty();
}

void OpenSeries::add(const std::string& name, const LiveStep& step) {
  ModelSeries& series = seriesFromPython(name);
  const std::optional<WantedModel> known = wantedOf(series);
  // Whoever looks at the last step follows the training; whoever went back stays there.
  const bool follows =
      !known || followed_.contains(&series) ||
      *series.find(QString::fromStdString(known->request.path)) + 1 == series.steps().size();
  series.add(step);
  if (follows) followed_.insert(&series);
  if (!known) {
    openLastBeside(series);
  } else if (follows) {
    behind_.insert(&series);
    catchUp();
  }
  showSteps();
}

std::optional<WantedModel> OpenSeries::wantedOf(const ModelSeries& series) const {
  for (const WantedModel& model : workspace_.queue().wanted()) {
    if (series.find(QString::fromStdString(model.request.path))) return model;
  }
  return std::nullopt;
}

void OpenSeries::catchUp() {
  for (const ModelSeries* series : std::set(behind_)) {
    const std::optional<WantedModel> known = wantedOf(*series);
    if (known && known->isPending) continue;
    behind_.erase(series);
    if (!known) continue;
    const std::size_t last = series->steps().size() - 1;
    workspace_.queue().openAgain(*known->id, requestAt({}, series->path(last)),
                                 series->title(last));
  }
}

void OpenSeries::passFailed() {
  // A step that could not be opened does not hold up those after it, not even if it was the first.
  for (const ModelSeries* series : std::set(behind_)) {
    if (wantedOf(*series)) continue;
    behind_.erase(series);
    openLastBeside(*series);
  }
  catchUp();
}

void OpenSeries::openLastBeside(const ModelSeries& series) {
  const std::size_t last = series.steps().size() - 1;
  workspace_.queue().openBeside(requestAt({}, series.path(last)), {.name = series.title(last)});
}

bool OpenSeries::hasFromPython(const std::string& name) const {
  return std::any_of(series_.begin(), series_.end(), [&](const auto& series) {
    return series->isFromPython() && series->name() == QString::fromStdString(name);
  });
}

ModelSeries& OpenSeries::seriesFromPython(const std::string& name) {
  const QString wanted = QString::fromStdString(name);
  const auto known = std::find_if(series_.begin(), series_.end(), [&](const auto& series) {
    return series->isFromPython() && series->name() == wanted;
  });
  if (known != series_.end()) return **known;
  series_.push_back(std::make_unique<ModelSeries>(wanted));
  return *series_.back();
}

void OpenSeries::takeUpSaved() {
  for (const OpenedModel& model : workspace_.models().all()) {
    const QString path = QString::fromStdString(model.request.path);
    const bool isKnown = std::any_of(series_.begin(), series_.end(), [&path](const auto& series) {
      return series->find(path).has_value();
    });
    if (isKnown || !lookedFor_.insert({path, model.givenName}).second) continue;
    if (auto series = seriesWithStep(path, model.givenName)) series_.push_back(std::move(series));
  }
}

std::pair<const ModelSeries*, std::size_t> OpenSeries::shown() const {
  const OpenedModel* current = workspace_.models().current();
  if (current == nullptr) return {nullptr, 0};
  for (const auto& series : series_) {
    if (const auto index = series->find(QString::fromStdString(current->request.path))) {
      return {series.get(), *index};
    }
  }
  return {nullptr, 0};
}

std::vector<std::string> OpenSeries::shownSteps() const {
  const ModelSeries* series = shown().first;
  std::vector<std::string> paths;
  for (std::size_t i = 0; series != nullptr && i < series->steps().size(); ++i) {
    paths.push_back(series->path(i).toStdString());
  }
  return paths;
}

void OpenSeries::showSteps() {
  const auto [series, index] = shown();
  bar_.setVisible(series != nullptr);
  if (series != nullptr) bar_.setSteps(series->name(), series->steps(), index);
}

void OpenSeries::goToStep(int index) {
  const auto [series, now] = shown();
  const auto wanted = static_cast<std::size_t>(index);
  if (series == nullptr || wanted >= series->steps().size()) return;
  const OpenedModel& model = *workspace_.models().current();
  behind_.erase(series);
  followed_.erase(series);
  if (wanted == now) {
    workspace_.queue().keep(model.id);
    return;
  }
  workspace_.queue().openAgain(model.id, requestAt(model.request, series->path(wanted)),
                               series->title(wanted));
}

}  // namespace softscope
