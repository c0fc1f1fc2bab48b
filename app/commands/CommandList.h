#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

/// A subcommand, as `softscope --help` lists it.
struct ListedCommand {
  std::string name;
  std::string description;
  /// True for subcommands that only the program itself and packages use.
  bool isHidden = false;
};

/// Returns all subcommands of this build, in the order of the help.
const std::vector<ListedCommand>& commandList();

/// Adds the listed subcommand with this name, without options.
CLI::App* addListedCommand(CLI::App& program, const std::string& name);

}  // namespace softscope
