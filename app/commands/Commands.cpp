#include "app/commands/Commands.h"

namespace softscope {

const std::vector<NamedCommand>& namedCommands() {
  static const std::vector<NamedCommand> commands{
#define COMMAND(name, add, description) {name, add},
#define HIDDEN_COMMAND COMMAND
#include "app/commands/CommandTable.def"
#undef COMMAND
#undef HIDDEN_COMMAND
  };
  return commands;
}

}  // namespace softscope
