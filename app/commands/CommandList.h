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
  /// For the program itself and for packages.
  bool isHidden = false;
};

/// All subcommands of this build, in the order of the help.
const std::vector<ListedCommand>& commandList();

/// Adds the listed subcommand of that name, without options.
CLI::App* addListedCommand(CLI::App& program, const std::string& name);

}  // namespace softscope
