#pragma once

#include "core/engine/Engine.h"
#include "core/image/Picture.h"
#include "core/image/Resample.h"
#include "core/network/Device.h"
#include "core/recording/RecordingPreview.h"
#include "models/OpenModel.h"
#include "models/live/OpenLiveModel.h"

namespace softscope {

/// The exports of the library that holds everything which needs LibTorch or OpenCV's decoders: the
/// engine, and functions about files and devices that the window calls by their own names
/// (EngineCalls.cpp). The library is loaded on the first call of any of them: LibTorch brings 280
/// other libraries, and a window can be drawn before they are loaded.
struct EngineLibrary {
  const char* version;  ///< must equal the program's

  Engine engine;

  ModelSummary (*identifyModel)(const ModelRequest&);
  decltype(&softscope::openLiveModel) openLiveModel;

  decltype(&softscope::readPicture) readPicture;
  decltype(&softscope::decodePicture) decodePicture;
  Picture (*resample)(const Picture&, int, int, InputTransform::Filter);
  InputTensor (*resampleInput)(const InputTensor&, int, int, InputTransform::Filter);
  decltype(&softscope::isRecording) isRecording;
  decltype(&softscope::recordedPictureAt) recordedPictureAt;
  decltype(&softscope::readRecordedPicture) readRecordedPicture;
  decltype(&softscope::pictureOf) pictureOf;

  decltype(&softscope::availableDevices) availableDevices;
  decltype(&softscope::resolveDevice) resolveDevice;
  decltype(&softscope::torchVersion) torchVersion;
};

}  // namespace softscope

/// Exported by the library.
extern "C" const softscope::EngineLibrary* softscopeEngine();
