#pragma once

#include "core/image/Picture.h"
#include "core/image/Resample.h"
#include "core/inspect/TokenInspection.h"
#include "core/network/ClassMapMeasurement.h"
#include "core/network/Device.h"
#include "core/network/Inspector.h"
#include "core/network/NetworkRun.h"
#include "core/network/ReachMeasurement.h"
#include "core/network/ShareMeasurement.h"
#include "core/recording/IsRecording.h"
#include "core/recording/PictureOfRecording.h"
#include "models/OpenModel.h"
#include "models/live/OpenLiveModel.h"

namespace softscope {

/// Every function of core and models that the window calls and that needs LibTorch or OpenCV's
/// decoders. The functions are in a library of their own, which is loaded on the first call of any
/// of them: LibTorch brings 280 other libraries, and a window can be drawn before they are loaded.
/// The functions are documented where they are declared; EngineCalls.cpp defines them for the
/// window's program.
struct Engine {
  const char* version;  ///< must equal the program's

  decltype(&softscope::openModel) openModel;
  ModelSummary (*identifyModel)(const ModelRequest&);
  decltype(&softscope::openLiveModel) openLiveModel;
  decltype(&softscope::inspect) inspect;
  decltype(&softscope::inspectTokens) inspectTokens;
  decltype(&softscope::measureShare) measureShare;
  decltype(&softscope::measureClassMaps) measureClassMaps;
  decltype(&softscope::measureReach) measureReach;
  decltype(&softscope::runNetwork) runNetwork;
  decltype(&softscope::runNetworkOnTokens) runNetworkOnTokens;

  decltype(&softscope::readPicture) readPicture;
  decltype(&softscope::decodePicture) decodePicture;
  decltype(&softscope::resample) resample;
  decltype(&softscope::isRecording) isRecording;
  decltype(&softscope::recordedPictureAt) recordedPictureAt;
  decltype(&softscope::readRecordedPicture) readRecordedPicture;
  decltype(&softscope::pictureOf) pictureOf;

  decltype(&softscope::availableDevices) availableDevices;
  decltype(&softscope::resolveDevice) resolveDevice;
  decltype(&softscope::torchVersion) torchVersion;
  decltype(&softscope::setComputeThreads) setComputeThreads;
};

}  // namespace softscope

/// Exported by the library.
extern "C" const softscope::Engine* softscopeEngine();
