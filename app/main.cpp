// The program without LibTorch: it opens the window, and starts the one of the subcommands in its
// own place.
#include "app/commands/CommandList.h"
#include "app/commands/WindowCommand.h"
#include "app/engine/LoadedEngine.h"
#include "app/program/Program.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace {

bool isSubcommand(const std::string& word) {
  const auto& commands = softscope::commandList();
  return std::any_of(commands.begin(), commands.end(),
                     [&](const softscope::ListedCommand& command) { return command.name == word; });
}

/// Returns true if address space is limited (ulimit -v) to less than LibTorch needs to be loaded:
/// OpenBLAS would ask for its buffers again and again, before anything of ours runs.
bool isTooLittleForLibraries() {
  constexpr rlim_t needed = rlim_t{768} << 20;
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < needed;
}

int complainOfLimit() {
  return softscope::complain(
      "too little is left of the memory that this program may take (ulimit -v); raise that limit",
      1);
}

int startCommands(char** argv) {
  if (isTooLittleForLibraries()) return complainOfLimit();
  const std::string path = softscope::programFolder() + "/softscope-commands";
  execv(path.c_str(), argv);
  return softscope::complain(
      path + " cannot be started: " + std::strerror(errno) + "; install or build Softscope again",
      1);
}

void describeWindow(CLI::App& program, softscope::Command& chosen) {
  auto arguments = std::make_shared<softscope::WindowArguments>();
  softscope::addWindowOptions(program, *arguments);
  for (const softscope::ListedCommand& command : softscope::commandList()) {
    softscope::addListedCommand(program, command.name)->prefix_command();
  }
  chosen = [arguments] {
    if (isTooLittleForLibraries()) return complainOfLimit();
    std::optional<softscope::EarlyLibraries> libraries;
    return softscope::openWindow(*arguments, softscope::loadedEngine(),
                                 [&] { libraries.emplace(); });
  };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && isSubcommand(argv[1])) return startCommands(argv);
  softscope::endProcess(softscope::runProgram(argc, argv, describeWindow));
}
