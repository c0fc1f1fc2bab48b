// The functions of EngineLibrary as the window's program calls them: each is passed on to the
// library, which is loaded first if necessary.
#include "app/engine/LoadedEngine.h"

namespace softscope {

ModelSummary identifyModel(const ModelRequest& request) {
  return engineLibrary().identifyModel(request);
}

std::shared_ptr<const Model> openLiveModel(const std::string& name,
                                           std::shared_ptr<LiveModels> models) {
  return engineLibrary().openLiveModel(name, std::move(models));
}

Picture readPicture(const std::string& path, const PictureReading& reading) {
  return engineLibrary().readPicture(path, reading);
}

Picture decodePicture(const std::uint8_t* data, std::size_t size, const std::string& name,
                      const PictureReading& reading) {
  return engineLibrary().decodePicture(data, size, name, reading);
}

Picture resample(const Picture& picture, int width, int height, InputTransform::Filter filter) {
  return engineLibrary().resample(picture, width, height, filter);
}

InputTensor resample(const InputTensor& input, int width, int height,
                     InputTransform::Filter filter) {
  return engineLibrary().resampleInput(input, width, height, filter);
}

bool isRecording(const std::string& path) {
  return engineLibrary().isRecording(path);
}

std::shared_ptr<const RecordedPicture> recordedPictureAt(const std::string& path) {
  return engineLibrary().recordedPictureAt(path);
}

Picture readRecordedPicture(const std::string& path) {
  return engineLibrary().readRecordedPicture(path);
}

Picture pictureOf(const RecordedPicture& recorded, const std::string& path) {
  return engineLibrary().pictureOf(recorded, path);
}

std::vector<ComputeDevice> availableDevices() {
  return engineLibrary().availableDevices();
}

std::string resolveDevice(const std::string& name) {
  return engineLibrary().resolveDevice(name);
}

std::string torchVersion() {
  return engineLibrary().torchVersion();
}

}  // namespace softscope
