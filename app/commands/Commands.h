#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

/// The action of a subcommand once its options are read. Returns the exit code; throws Error.
using Command = std::function<int()>;

// Each function of CommandTable.def adds its subcommand to the program and sets `chosen` if the
// command line names it.
#define COMMAND(name, add, description) void add(CLI::App& program, Command& chosen);
#define HIDDEN_COMMAND COMMAND
#include "app/commands/CommandTable.def"
#undef COMMAND
#undef HIDDEN_COMMAND

/// A subcommand by name.
struct NamedCommand {
  std::string name;
  void (*add)(CLI::App& program, Command& chosen);
};

/// Returns all subcommands, in order.
const std::vector<NamedCommand>& namedCommands();

}  // namespace softscope
