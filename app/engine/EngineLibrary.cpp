#include "app/engine/EngineLibrary.h"

#include "models/NetworkEngine.h"

/// The only exported symbol of the library; all others are hidden.
extern "C" __attribute__((visibility("default"))) const softscope::EngineLibrary*
softscopeEngine() {
  using namespace softscope;
  static const EngineLibrary library{.version = SOFTSCOPE_VERSION,
                                     .engine = networkEngine(),
                                     .identifyModel = identifyModel,
                                     .openLiveModel = openLiveModel,
                                     .readPicture = readPicture,
                                     .decodePicture = decodePicture,
                                     .resample = resample,
                                     .resampleInput = resample,
                                     .isRecording = isRecording,
                                     .recordedPictureAt = recordedPictureAt,
                                     .readRecordedPicture = readRecordedPicture,
                                     .pictureOf = pictureOf,
                                     .availableDevices = availableDevices,
                                     .resolveDevice = resolveDevice,
                                     .torchVersion = torchVersion};
  return &library;
}
