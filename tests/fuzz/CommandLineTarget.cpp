#include "app/commands/Commands.h"
#include "core/Error.h"
#include "tests/fuzz/Target.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

/// The program as it is for so many inputs: describing it takes a hundred times as long as reading
/// most lines, but what was read for too long stays in it.
class DescribedProgram {
 public:
  /// With the subcommand of that name, or with all of them where it is empty: only one reads its
  /// options.
  explicit DescribedProgram(const std::string& first) {
    for (const softscope::NamedCommand& command : softscope::namedCommands()) {
      if (first.empty() || command.name == first) command.add(program_, chosen_);
    }
  }

  void read(std::vector<std::string>& words) { program_.parse(words); }
  bool isWorn() { return ++inputs_ > 200; }

 private:
  CLI::App program_{"", "softscope"};
  softscope::Command chosen_;
  int inputs_ = 0;
};

DescribedProgram& programOf(const std::string& first) {
  static std::map<std::string, std::unique_ptr<DescribedProgram>> programs;
  const bool isKnown = std::ranges::any_of(
      softscope::namedCommands(), [&](const auto& command) { return command.name == first; });
  std::unique_ptr<DescribedProgram>& program = programs[isKnown ? first : std::string()];
  if (!program || program->isWorn()) program = std::make_unique<DescribedProgram>(first);
  return *program;
}

}  // namespace

/// The words of a command line, one a line, without the program's name. They are read, and nothing
/// is run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words =
      CLI::detail::split(std::string(reinterpret_cast<const char*>(data), size), '\n');
  DescribedProgram& program = programOf(words.empty() ? std::string() : words.front());
  // CLI11 takes them from the back.
  std::reverse(words.begin(), words.end());
  try {
    program.read(words);
  } catch (const CLI::Error&) {
    // Cannot be meant.
  } catch (const softscope::Error&) {
    // Nor can this.
  }
  return 0;
}
