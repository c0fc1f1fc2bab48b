#include "app/commands/Commands.h"
#include "core/Error.h"
#include "tests/fuzz/Target.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using AddCommand = void (*)(CLI::App&, softscope::Command&);

constexpr std::pair<std::string_view, AddCommand> commands[] = {
    {"inspect", softscope::addInspectCommand},       {"dump", softscope::addDumpCommand},
    {"record", softscope::addRecordCommand},         {"convert", softscope::addConvertCommand},
    {"train", softscope::addTrainCommand},           {"evaluate", softscope::addEvaluateCommand},
    {"linescores", softscope::addLineScoresCommand}, {"survey", softscope::addSurveyCommand},
    {"merge", softscope::addMergeCommand},           {"table", softscope::addTableCommand},
    {"figure", softscope::addFigureCommand},
};

/// The subcommand that is named first, or all of them: describing all takes most of the time, and
/// only one of them reads its options.
void addCommands(CLI::App& program, softscope::Command& chosen, const std::string& first) {
  const auto* const named =
      std::ranges::find(commands, first, &std::pair<std::string_view, AddCommand>::first);
  for (const auto& command : commands) {
    if (named == std::end(commands) || named == &command) command.second(program, chosen);
  }
}

}  // namespace

/// The words of a command line, one a line, without the program's name. They are read, and nothing
/// is run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CLI::App program("", "softscope");
  softscope::Command command;
  std::vector<std::string> words =
      CLI::detail::split(std::string(reinterpret_cast<const char*>(data), size), '\n');
  addCommands(program, command, words.empty() ? std::string() : words.front());
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
