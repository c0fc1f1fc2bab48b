#include "app/window/live/ModelSeries.h"

#include "core/Error.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSaveFile>

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

constexpr std::int64_t mostSeriesBytes = std::int64_t(4) << 30;

}  // namespace

ModelSeries::ModelSeries(QString name) : name_(std::move(name)) {}

void ModelSeries::add(const LiveStep& step) {
  const auto size = static_cast<std::int64_t>(step.recording.size());
  const auto place = std::lower_bound(steps_.begin(), steps_.end(), step.step);
  const bool isKnown = place != steps_.end() && *place == step.step;
  const auto index = static_cast<std::size_t>(place - steps_.begin());
  if (bytes_ + size > mostSeriesBytes) {
    throw FileError(name_.toStdString(),
                    "its steps would take more than 4 GB; later ones are not kept");
  }
  if (!isKnown) steps_.insert(place, step.step);
  QSaveFile file(path(index));
  const bool written = folder_.isValid() && file.open(QIODevice::WriteOnly) &&
                       file.write(step.recording.data(), size) == size && file.commit();
  if (written) {
    bytes_ += size;
    return;
  }
  if (!isKnown) steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(index));
  throw FileError(file.fileName().toStdString(), file.errorString().toStdString());
}

QString ModelSeries::path(std::size_t index) const {
  return folder_.filePath(QStringLiteral("step_%1.safetensors").arg(steps_[index]));
}

std::optional<std::size_t> ModelSeries::find(const QString& path) const {
  if (QFileInfo(path).path() != folder_.path()) return std::nullopt;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (this->path(i) == path) return i;
  }
  return std::nullopt;
}

QString ModelSeries::title(std::size_t index) const {
  return QStringLiteral("%1, step %2").arg(name_).arg(steps_[index]);
}

}  // namespace softscope
