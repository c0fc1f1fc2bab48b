#include "app/commands/Commands.h"
#include "core/Error.h"
#include "tests/fuzz/Target.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

/// The words of a command line, one a line, without the program's name. They are read, and nothing
/// is run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CLI::App program("", "softscope");
  softscope::Command command;
  softscope::addInspectCommand(program, command);
  softscope::addDumpCommand(program, command);
  softscope::addRecordCommand(program, command);
  softscope::addConvertCommand(program, command);
  softscope::addFigureCommand(program, command);
  softscope::addMeasureCostCommand(program, command);
  std::vector<std::string> words =
      CLI::detail::split(std::string(reinterpret_cast<const char*>(data), size), '\n');
  // CLI11 takes them from the back.
  std::reverse(words.begin(), words.end());
  try {
    program.parse(words);
  } catch (const CLI::Error&) {
    // Cannot be meant.
  } catch (const softscope::Error&) {
    // Nor can this.
  }
  return 0;
}
