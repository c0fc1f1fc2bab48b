// The functions of Engine as the window's program calls them: each is passed on to the library,
// which is loaded first if necessary.
#include "app/engine/LoadedEngine.h"

namespace softscope {

std::shared_ptr<const Model> openModel(const ModelRequest& request, const Progress& progress) {
  return engine().openModel(request, progress);
}

ModelSummary identifyModel(const ModelRequest& request) {
  return engine().identifyModel(request);
}

std::shared_ptr<const Model> openLiveModel(const std::string& name,
                                           std::shared_ptr<LiveModels> models) {
  return engine().openLiveModel(name, std::move(models));
}

std::shared_ptr<const Inspection> inspect(const Model& model, const InputTensor& input,
                                          const Progress& progress,
                                          const InspectionOptions& options) {
  return engine().inspect(model, input, progress, options);
}

std::shared_ptr<const TokenInspection> inspectTokens(const Model& model, const InputTensor& input,
                                                     const Progress& progress) {
  return engine().inspectTokens(model, input, progress);
}

std::shared_ptr<const ModelShare> measureShare(const Model& model, const InputTensor& input,
                                               const ShareRequest& request,
                                               const Progress& progress) {
  return engine().measureShare(model, input, request, progress);
}

ClassMaps measureClassMaps(const Model& model, const InputTensor& input,
                           const ClassMapRequest& request, const Progress& progress) {
  return engine().measureClassMaps(model, input, request, progress);
}

std::vector<Reach> measureReach(const Model& model, const InputTensor& input,
                                const ReachRequest& request, const Progress& progress) {
  return engine().measureReach(model, input, request, progress);
}

std::vector<float> runNetwork(const Model& model, const InputTensor& input, Recorder* recorder) {
  return engine().runNetwork(model, input, recorder);
}

std::vector<float> runNetworkOnTokens(const Model& model, const InputTensor& input,
                                      const std::vector<int>& kept) {
  return engine().runNetworkOnTokens(model, input, kept);
}

Picture readPicture(const std::string& path, const PictureReading& reading) {
  return engine().readPicture(path, reading);
}

Picture decodePicture(const std::uint8_t* data, std::size_t size, const std::string& name,
                      const PictureReading& reading) {
  return engine().decodePicture(data, size, name, reading);
}

Picture resample(const Picture& picture, int width, int height, InputTransform::Filter filter) {
  return engine().resample(picture, width, height, filter);
}

bool isRecording(const std::string& path) {
  return engine().isRecording(path);
}

std::shared_ptr<const RecordedPicture> recordedPictureAt(const std::string& path) {
  return engine().recordedPictureAt(path);
}

Picture readRecordedPicture(const std::string& path) {
  return engine().readRecordedPicture(path);
}

Picture pictureOf(const RecordedPicture& recorded, const std::string& path) {
  return engine().pictureOf(recorded, path);
}

std::vector<ComputeDevice> availableDevices() {
  return engine().availableDevices();
}

std::string resolveDevice(const std::string& name) {
  return engine().resolveDevice(name);
}

std::string torchVersion() {
  return engine().torchVersion();
}

void setComputeThreads(int threads) {
  engine().setComputeThreads(threads);
}

}  // namespace softscope
