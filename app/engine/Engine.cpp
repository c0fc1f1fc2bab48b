#include "app/engine/Engine.h"

/// The only exported symbol of the library; all others are hidden.
extern "C" __attribute__((visibility("default"))) const softscope::Engine* softscopeEngine() {
  using namespace softscope;
  static const Engine engine{.version = SOFTSCOPE_VERSION,
                             .openModel = openModel,
                             .identifyModel = identifyModel,
                             .openLiveModel = openLiveModel,
                             .inspect = inspect,
                             .inspectTokens = inspectTokens,
                             .measureShare = measureShare,
                             .measureClassMaps = measureClassMaps,
                             .measureReach = measureReach,
                             .runNetwork = runNetwork,
                             .runNetworkOnTokens = runNetworkOnTokens,
                             .readPicture = readPicture,
                             .decodePicture = decodePicture,
                             .resample = resample,
                             .isRecording = isRecording,
                             .recordedPictureAt = recordedPictureAt,
                             .readRecordedPicture = readRecordedPicture,
                             .pictureOf = pictureOf,
                             .availableDevices = availableDevices,
                             .resolveDevice = resolveDevice,
                             .torchVersion = torchVersion,
                             .setComputeThreads = setComputeThreads};
  return &engine;
}
