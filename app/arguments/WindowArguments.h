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

/// What the command line says about the window, as it was typed.
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
  /// `--theme` and `--device`: without them the window's preferences count.
  const CLI::Option* theme = nullptr;
  const CLI::Option* device = nullptr;
};

/// Adds what the program takes without a subcommand.
void addWindowOptions(CLI::App& program, WindowArguments& arguments);

}  // namespace softscope
