#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

/// What a subcommand does once its options are read. Returns the exit code; throws Error.
using Command = std::function<int()>;

// Each of CommandTable.def adds its subcommand to the program and sets `chosen` when the command
// line names it.
#define COMMAND(name, add, description) void add(CLI::App& program, Command& chosen);
#define HIDDEN_COMMAND COMMAND
#include "app/commands/CommandTable.def"
#undef COMMAND
#undef HIDDEN_COMMAND

/// One of them.
struct NamedCommand {
  std::string name;
  void (*add)(CLI::App& program, Command& chosen);
};

/// All, in their order.
const std::vector<NamedCommand>& namedCommands();

}  // namespace softscope
