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
  /// What follows its name in the usage that its help tells.
  std::string usage = "-m CKPT... IMAGE [OPTIONS]";
  /// Of a kind that is not of models: those of their options that it takes all the same.
  std::vector<std::string> modelOptions = {};
  /// It takes several pictures.
  bool ofPictures = false;
};

/// In the order `--help` lists them.
const std::vector<FigureKind>& figureKinds();

}  // namespace softscope
