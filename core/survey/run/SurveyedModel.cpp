#include "core/survey/run/SurveyedModel.h"

#include "core/Error.h"
#include "core/files/CheckpointFiles.h"
#include "core/files/Malformed.h"
#include "core/files/Sha256.h"
#include "core/model/RequestJson.h"
#include "core/survey/TransformJson.h"

#include <filesystem>
#include <string>
#include <vector>

namespace softscope {

namespace {

std::vector<std::string> filesOfCheckpoint(const std::string& path) {
  try {
    const std::string file = checkpointFileOf(path);
    const std::string index = shardIndexOf(file);
    if (index.empty()) return {file};
    std::vector<std::string> files;
    for (const auto& [shard, tensors] : readShardIndex(index)) files.push_back(shard);
    return files;
  } catch (const Malformed& problem) {
    throw CheckpointError(path, problem.what());
  }
}

std::string fileFingerprint(const std::string& path) {
  Sha256 checksum;
  addFile(path, checksum);
  return checksum.digest();
}

/// Returns a SHA-256 of a checkpoint's files that does not depend on their paths: for one file its
/// own, as `sha256sum` prints it; for several, that of their sums. Throws FileError.
std::string modelFingerprint(const std::string& path) {
  const std::vector<std::string> files = filesOfCheckpoint(path);
  if (files.size() == 1) return fileFingerprint(files.front());
  Sha256 all;
  for (const std::string& file : files) all.add(fileFingerprint(file));
  return all.digest();
}

}  // namespace

std::vector<LayerSummary> SurveyedModel::measuredLayers() const {
  std::vector<LayerSummary> measured;
  for (const int position : layers) {
    measured.push_back(model->summary().layers[static_cast<std::size_t>(position)]);
  }
  return measured;
}

SurveyPlan::Model planOf(const SurveyedModel& model, const PictureReading& reading) {
  const ModelSummary& summary = model.model->summary();
  SurveyPlan::Model plan{.name = model.name,
                         .path = std::filesystem::absolute(model.request.path).string(),
                         .fingerprint = modelFingerprint(model.request.path),
                         .family = summary.family,
                         .variant = summary.variant,
                         .mechanism = summary.mechanism,
                         .parameters = summary.parameters,
                         .request = requestJson(model.request),
                         .transform = transformJson(model.transform, reading),
                         .layers = {},
                         .logitOfClass = model.logitOfClass};
  const std::vector<LayerSummary> layers = model.measuredLayers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    plan.layers.push_back({.name = layers[i].name,
                           .position = model.layers[i],
                           .mechanism = layers[i].mechanism,
                           .heads = layers[i].heads});
  }
  return plan;
}

}  // namespace softscope
