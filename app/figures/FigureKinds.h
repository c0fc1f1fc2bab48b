#pragma once

#include "app/arguments/FigureArguments.h"

#include <string>
#include <vector>

namespace softscope {

/// A KIND of `softscope figure`.
struct FigureKind {
  std::string name;
  std::string description;
  /// Writes the files that were asked for; returns the exit code.
  int (*write)(const FigureArguments& arguments);
  /// Adds the options that are its own, with addOwn(); may be null.
  void (*addOptions)(CLI::App& command, FigureArguments& arguments) = nullptr;
  /// It is of models on a picture.
  bool ofModels = true;
};

/// In the order `--help` lists them.
const std::vector<FigureKind>& figureKinds();

}  // namespace softscope
