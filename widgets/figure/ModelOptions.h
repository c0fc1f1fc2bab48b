#pragma once

#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"

#include <string>
#include <vector>

namespace softscope {

/// A model of a figure or of a survey: how it was opened and what it was fed.
struct FigureModel {
  ModelRequest request;
  InputSize inputSize;
  /// The name its user gave it; if empty, it is named after its file.
  std::string name = {};
};

/// Returns a path to the same file that works from any folder.
std::string absolutePath(const std::string& path);

/// Returns the command line options that open these models again: `-m` and the options that were
/// requested. Options at their defaults are left out.
std::vector<std::string> modelOptions(const std::vector<FigureModel>& models);

/// Returns the options that set the input size of each model.
std::vector<std::string> sizeOptions(const std::vector<FigureModel>& models);

}  // namespace softscope
