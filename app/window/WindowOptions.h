#pragma once

#include "core/image/PictureReading.h"
#include "core/live/LiveProcesses.h"
#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"
#include "widgets/pages/LibraryPage.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The command line's options of the window. Options that are not given keep the values that the
/// user left last time.
struct WindowOptions {
  /// Path of the picture, recording, workspace or survey to open; empty if none is named.
  std::string picturePath;
  std::vector<ModelRequest> models;
  /// Names of the models, in their order; empty and missing names leave the default.
  std::vector<std::string> modelNames;
  std::string bundledPicture;
  std::string bundledModel;
  /// A layer of the bundled model whose heads answer every query differently, and a query on the
  /// bundled picture that shows something of interest.
  std::string bundledLayer;
  std::optional<PictureQuery> bundledQuery;
  /// Returns the trained models in the library.
  std::function<std::vector<LibraryModel>()> library;
  /// The Python processes whose models the window shows; null if it listens to none.
  std::shared_ptr<LiveProcesses> live;
  /// True to open nothing at first, because Python will send what there is to see.
  bool waitsForPython = false;

  /// Called once the threads of the workspace run; null if nothing is to be done then. Loading
  /// libraries begins here, as no thread can be started while the dynamic loader is busy.
  std::function<void()> onceThreadsRun;
  /// True to paint the window before anything is opened. What opens may keep the dynamic loader
  /// busy, and painting would have to wait for it.
  bool opensOncePainted = false;

  /// The theme, an empty inner optional for the system's; the outer one is empty if the option was
  /// not given.
  std::optional<std::optional<ViewSettings::Theme>> theme;
  InputSize inputSize;
  /// How the picture given on the command line is read.
  PictureReading reading;
  /// Value of `--threads`; 0 if it was not given.
  int threads = 0;
  /// Value of `--device`, resolved; empty if it was not given.
  std::string device;
  std::string layer;
  /// At most one of `query` and `patch` is set.
  std::optional<PictureQuery> query;
  std::optional<Patch> patch;
  std::optional<std::string> colorMap;
  std::optional<Direction> direction;
  std::optional<OverHeads> overHeads;
  /// A head to show alone.
  std::optional<int> onlyHead;
  /// Resolution of figures that this run exports.
  std::optional<int> dpi;
};

}  // namespace softscope
