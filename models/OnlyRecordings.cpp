// Opening models in builds without LibTorch, which can open recordings alone.
#include "models/OnlyRecordings.h"

#include "core/Error.h"
#include "core/checkpoint/FileKind.h"
#include "core/checkpoint/Safetensors.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/ZipArchive.h"
#include "core/network/Inspector.h"
#include "core/network/Measurements.h"
#include "core/network/RemoteNetwork.h"
#include "core/recording/RecordingPreview.h"
#include "models/OpenModel.h"
#include "models/live/OpenLiveModel.h"
#include "models/recorded/OpenRecording.h"

#include <filesystem>

namespace softscope {

std::string lackOfLibTorch() {
  return "LibTorch, which Softscope's Python package does not bring; install Softscope's Debian "
         "package, or build it with ./run";
}

namespace {

/// Throws Malformed for a file that is no checkpoint either, or of which an end is missing.
void requireReadable(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return;
  const FileKind kind = recogniseFile(InputFile(path).head(recognisableBytes));
  if (kind == FileKind::ZipCheckpoint) ZipArchive(path, 0);
  if (kind == FileKind::Safetensors) safetensorsNames(path);
}

}  // namespace

std::shared_ptr<const Model> openModel(const ModelRequest& request, const Progress& progress) {
  refuseLive(request.path);
  if (isRecording(request.path)) return openRecording(request, progress);
  try {
    requireReadable(request.path);
  } catch (const Malformed& malformed) {
    throw CheckpointError(request.path, malformed.what());
  }
  throw ModelError(request.path + ": is no recording, and a checkpoint needs " + lackOfLibTorch() +
                   "; or show or record the model from Python (softscope.show, softscope.record)");
}

std::shared_ptr<const Model> openClassifier(const ModelRequest& request, const Progress& progress) {
  return openModel(request, progress);
}

ModelSummary identifyModel(const ModelRequest& request) {
  return openModel(request)->summary();
}

ClassMaps measureClassMaps(const Model& model, const InputTensor&, const ClassMapRequest&,
                           const Progress&) {
  throw InspectionError(model.summary().obstacleTo("gradient of a class"));
}

void addGradientProducts(const Model& model, const InputTensor&, const LogitRequest&, Inspection&,
                         const Progress&) {
  throw InspectionError(model.summary().obstacleTo("gradient of a class"));
}

ModelSanity measureSanity(const Model& model, const InputTensor&, const ClassMapRequest&,
                          const Progress&) {
  throw InspectionError(model.summary().obstacleTo("gradient of a class"));
}

std::vector<Reach> measureReach(const Model& model, const InputTensor& input,
                                const ReachRequest& request, const Progress& progress) {
  if (auto remote = remoteReach(model, input, request, progress)) return *std::move(remote);
  throw InspectionError(model.summary().obstacleTo("gradient of a token"));
}

}  // namespace softscope
