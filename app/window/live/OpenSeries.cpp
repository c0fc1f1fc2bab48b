#include "app/window/live/OpenSeries.h"

#include "app/window/live/StepBar.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
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
  connect(&workspace.models(), &OpenModels::changed, this, &OpenSeries::showSteps);
  connect(&bar, &StepBar::stepWanted, this, &OpenSeries::goToStep);
}

OpenSeries::~OpenSeries() = default;

bool OpenSeries::open(const ModelRequest& request, bool becomesCurrent) {
  const std::vector<CheckpointSeries> found = findSeries(request.path);
  for (const CheckpointSeries& each : found) {
    auto opened = std::make_unique<ModelSeries>(each);
    // A folder that was opened before may have more steps by now.
    std::erase_if(series_, [&](const auto& known) { return known->sharesSteps(*opened); });
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
  const std::vector<OpenedModel>& models = workspace_.models().all();
  const auto known = std::find_if(models.begin(), models.end(), [&](const OpenedModel& model) {
    return series.find(QString::fromStdString(model.request.path)).has_value();
  });
  // Whoever looks at the last step follows the training; whoever went back stays there.
  const bool follows =
      known != models.end() && !series.steps().empty() &&
      series.find(QString::fromStdString(known->request.path)) == series.steps().size() - 1;
  series.add(step);
  const std::size_t last = series.steps().size() - 1;
  const ModelRequest request = requestAt({}, series.path(last));
  if (known == models.end()) {
    workspace_.queue().openBeside(request, {.name = series.title(last)});
  } else if (follows) {
    workspace_.queue().openAgain(known->id, request, series.title(last));
  }
  showSteps();
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
  if (wanted == now) {
    workspace_.queue().keep(model.id);
    return;
  }
  workspace_.queue().openAgain(model.id, requestAt(model.request, series->path(wanted)),
                               series->title(wanted));
}

}  // namespace softscope
