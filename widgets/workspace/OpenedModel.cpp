#include "widgets/workspace/OpenedModel.h"

#include "core/image/SeenPicture.h"
#include "core/inspect/LayerMap.h"
#include "core/query/ModelNames.h"

#include <algorithm>
#include <utility>

namespace softscope {

const LayerInspection* OpenedModel::shownLayer() const {
  return inspection ? inspection->find(layer) : nullptr;
}

std::vector<const LayerInspection*> OpenedModel::shownLayers() const {
  std::vector<const LayerInspection*> layers;
  if (const LayerInspection* chosen = shownLayer()) layers.push_back(chosen);
  for (const HeadOfLayer& head : marks.collected) {
    const LayerInspection* found = inspection ? inspection->find(head.layer) : nullptr;
    if (found && std::ranges::find(layers, found) == layers.end()) layers.push_back(found);
  }
  return layers;
}

void OpenedModel::setInspection(std::shared_ptr<const Inspection> seen) {
  ofAllChannels = std::move(seen);
  showChannel({});
}

void OpenedModel::showChannel(std::optional<int> channel) {
  inspection = atChannel(ofAllChannels, channel);
}

bool OpenedModel::hasLayer(const std::string& name) const {
  const std::vector<LayerSummary>& layers = summary().layers;
  return std::any_of(layers.begin(), layers.end(),
                     [&](const LayerSummary& known) { return known.name == name; });
}

QString OpenedModel::name() const {
  return namesBeside({this}).front();
}

std::vector<FileVersion> versionsOf(const OpenedModel& opened) {
  if (opened.summary().isLive) return {};
  std::vector<FileVersion> versions{{opened.files, opened.stamp, opened.fingerprint.toStdString()}};
  if (!opened.names.files.empty()) versions.push_back(opened.names);
  return versions;
}

std::vector<QString> namesBeside(const std::vector<const OpenedModel*>& models) {
  std::vector<NamedFile> files;
  for (const OpenedModel* model : models) {
    const std::string& path = model->summary().path;
    files.push_back({path.empty() ? model->request.path : path, model->givenName.toStdString()});
  }
  std::vector<QString> names;
  for (const std::string& name : modelNames(files)) {
    names.push_back(QString::fromStdString(name));
    // They stand in chips, titles and legends, which have a single line.
    for (QChar& letter : names.back()) {
      if (letter.category() == QChar::Other_Control) letter = u' ';
    }
  }
  return names;
}

OpenedModel inspected(const OpenedModel& opened, const Picture& picture,
                      const ModelInspector& inspect, const InspectionOptions& options,
                      const Progress& progress) {
  checkSees(opened.summary(), picture);
  const InputSize& size = opened.wantedSize();
  const PreparedPicture prepared =
      preparePicture(picture, withInputSize(opened.summary().transform, size));
  progress.throwIfCancelled();
  OpenedModel done = opened;
  done.failure.clear();
  done.inputSize = size;
  done.nextSize.reset();
  done.note = noteOn(opened.summary(), picture);
  done.setInspection(inspect(*opened.model, prepared.input, progress, options));
  done.logit = options.logit;
  done.region = regionSeen(prepared.region, prepared.input, done.inspection->seen);
  const std::vector<LayerInspection>& layers = done.inspection->layers;
  if (!done.shownLayer() && !layers.empty()) done.layer = layers.front().name;
  return done;
}

std::function<InputTensor()> inputOf(const OpenedModel& opened,
                                     std::shared_ptr<const Picture> picture) {
  const InputTransform transform = withInputSize(opened.summary().transform, opened.inputSize);
  return [transform, picture = std::move(picture)] {
    return preparePicture(*picture, transform).input;
  };
}

}  // namespace softscope
