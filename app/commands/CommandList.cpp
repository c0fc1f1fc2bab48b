#include "app/commands/CommandList.h"

#include "app/arguments/DrawsFigures.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace softscope {

const std::vector<ListedCommand>& commandList() {
  static const std::vector<ListedCommand> commands{
#define COMMAND(name, add, description) {name, description, false},
#define HIDDEN_COMMAND(name, add, description) {name, description, true},
#include "app/commands/CommandTable.def"
#undef COMMAND
#undef HIDDEN_COMMAND
  };
  return commands;
}

CLI::App* addListedCommand(CLI::App& program, const std::string& name) {
  const auto listed = std::find_if(commandList().begin(), commandList().end(),
                                   [&](const ListedCommand& one) { return one.name == name; });
  CLI::App* command = program.add_subcommand(name, listed->description);
  if (listed->isHidden) command->group("");
  return command;
}

}  // namespace softscope
