#pragma once

#include "core/analysis/CostRunner.h"
#include "core/analysis/ModelFunctions.h"
#include "core/analysis/deletion/DeletionMeasurement.h"
#include "core/image/PictureReading.h"
#include "core/model/InputSize.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"
#include "widgets/pages/LibraryPage.h"
#include "widgets/settings/OverHeads.h"
#include "widgets/settings/ViewSettings.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What the command line says about the window. What it leaves out is as the user left it last
/// time.
struct WindowOptions {
  /// Empty for the bundled ones.
  std::string picturePath;
  std::vector<ModelRequest> models;
  /// What the models are called, in their order; empty names and those that are missing say
  /// nothing.
  std::vector<std::string> modelNames;
  std::string bundledPicture;
  std::string bundledModel;
  /// Of the bundled model, and on the bundled picture: a layer whose heads answer every query
  /// differently, and something to look at.
  std::string bundledLayer;
  std::optional<PictureQuery> bundledQuery;
  /// The trained models in the box.
  std::function<std::vector<LibraryModel>()> library;
  /// Measures a point of the cost page; without it there is nothing to see there.
  CostRunner costRunner;
  ShareMeasurer measureShare;
  DeletionMeasurer measureDeletion;
  TokenInspector inspectTokens;

  /// Whether the window is painted before anything is opened: what opens may take the loader's
  /// time, for which painting would wait.
  bool opensOncePainted = false;

  /// Sets how many threads the calling thread's computations take; 0 for one on every core.
  std::function<void(int)> setThreads;

  /// The outer one is empty where nothing was said.
  std::optional<std::optional<ViewSettings::Theme>> theme;
  InputSize inputSize;
  /// How the picture that was asked for is read.
  PictureReading reading;
  /// As `--threads`; 0 where nothing was said.
  int threads = 0;
  /// As `--device`, resolved; empty where nothing was said.
  std::string device;
  std::string layer;
  /// At most one of them.
  std::optional<PictureQuery> query;
  std::optional<Patch> patch;
  std::optional<std::string> colorMap;
  std::optional<Direction> direction;
  std::optional<OverHeads> overHeads;
  /// A head to show alone.
  std::optional<int> onlyHead;
  /// Of figures that this run exports.
  std::optional<int> dpi;
};

}  // namespace softscope
