#pragma once

#include "core/inspect/InputSize.h"
#include "widgets/ModelRequest.h"
#include "widgets/PictureQuery.h"
#include "widgets/QueryToken.h"
#include "widgets/ViewSettings.h"

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
  std::string bundledPicture;
  std::string bundledModel;

  std::optional<ViewSettings::Theme> theme;
  InputSize inputSize;
  std::string layer;
  /// At most one of them.
  std::optional<PictureQuery> query;
  std::optional<Patch> patch;
  std::optional<std::string> colorMap;
  std::optional<Direction> direction;
};

}  // namespace softscope
