#pragma once

#include "app/arguments/ModelArguments.h"
#include "core/image/PictureReading.h"
#include "widgets/settings/Preferences.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace softscope {

/// Options of the command line for the window, as they were typed.
struct WindowArguments {
  std::string image;
  ModelArguments model;
  std::string size;
  PictureReading reading;
  Preferences preferences;
  std::string layer;
  std::string colorMap;
  std::string query;
  std::string place;
  std::vector<std::string> heads;
  std::optional<int> dpi;
  std::string quitAfter;
  /// The address of `--listen`; empty if it was given without one.
  std::optional<std::string> listenAddress;
  /// `--theme` and `--device`; if not given, the window's preferences apply.
  const CLI::Option* theme = nullptr;
  const CLI::Option* device = nullptr;
};

/// Adds the arguments of the program without a subcommand.
void addWindowOptions(CLI::App& program, WindowArguments& arguments);

}  // namespace softscope
