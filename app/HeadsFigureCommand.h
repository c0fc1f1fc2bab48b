#pragma once

#include "app/Input.h"
#include "app/ModelArguments.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The command line of `softscope figure`.
struct FigureArguments {
  std::string kind;
  std::string image;
  ModelArguments model;
  InputOptions input;
  std::string output;
  std::string data;
  int dpi = 300;
  std::string theme = "light";
  std::string layer;
  std::vector<std::string> heads;
  std::vector<std::string> queries;
  std::vector<std::string> places;
  std::string direction = "rows";
  std::string colorMap;
  std::optional<double> opacity;
  std::string range;
  bool smooth = false;
  bool absolute = false;
};

/// `figure heads`: every head of the chosen layers for the chosen queries.
int drawHeadsFigure(const FigureArguments& arguments);

}  // namespace softscope
