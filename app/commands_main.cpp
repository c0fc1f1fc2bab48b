// The program of the subcommands; without a window, all there is of Softscope.
#include "app/commands/Commands.h"
#include "app/program/Program.h"
#ifdef SOFTSCOPE_HAS_GUI
#include "app/arguments/WindowArguments.h"
#endif

namespace {

void describeCommands(CLI::App& program, softscope::Command& chosen) {
#ifdef SOFTSCOPE_HAS_GUI
  // For the manual page, which tells of the window, too.
  static softscope::WindowArguments window;
  softscope::addWindowOptions(program, window);
#endif
  for (const softscope::NamedCommand& command : softscope::namedCommands()) {
    command.add(program, chosen);
  }
}

}  // namespace

int main(int argc, char** argv) {
  softscope::endProcess(softscope::runProgram(argc, argv, describeCommands));
}
