#pragma once

#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"

#include <string>
#include <vector>

namespace softscope {

/// A model of a figure or of a survey, as it was opened, and what it was fed.
struct FigureModel {
  ModelRequest request;
  InputSize inputSize;
  /// As its user calls it; empty: by its file.
  std::string name = {};
};

/// The same file, from any folder.
std::string absolutePath(const std::string& path);

/// The words of a command line that open these models again: `-m` and what was asked for. What is
/// as it is by default is left out.
std::vector<std::string> modelOptions(const std::vector<FigureModel>& models);

/// Those that say which size of picture each is fed.
std::vector<std::string> sizeOptions(const std::vector<FigureModel>& models);

}  // namespace softscope
