#include "app/window/live/OpenSeries.h"

#include "app/window/live/StepBar.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

namespace {

ModelRequest requestAt(ModelRequest request, const QString& path) {
  request.path = path.toStdString();
  return request;
}

}  // namespace

OpenSeries::OpenSeries(Workspace& workspace, StepBar& bar) : workspace_(workspace), bar_(bar) {
  connect(&workspace.models(), &OpenModels::changed, this, [this] {
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
