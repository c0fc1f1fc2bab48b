#include "app/window/live/ModelSeries.h"

#include "core/Error.h"
#include "core/files/AtomicFile.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSaveFile>

#include <algorithm>
#include <utility>

namespace softscope {

ModelSeries::ModelSeries(QString name, std::int64_t budget)
    : name_(std::move(name)),
      folder_(std::make_unique<QTemporaryDir>(QString::fromStdString(temporaryFolder()) +
                                              QStringLiteral("/softscope-XXXXXX"))),
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

}  // namespace softscope
