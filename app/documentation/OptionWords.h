#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace softscope {

/// The facts about an option that a reader, or a shell that completes words, needs.
struct OptionWords {
  /// `-o`, `--output`; empty for a positional.
  std::vector<std::string> names;
  /// Placeholder for its value: `FILE`, `N`; empty for a flag.
  std::string placeholder;
  /// The words that its value can be, if there is a fixed set.
  std::vector<std::string> choices;
  /// True if a positional takes several values.
  bool isRepeated = false;
  std::string description;
};

OptionWords wordsOf(const CLI::Option& option);

/// Returns the options and positionals that a command's help lists, in that order.
std::vector<OptionWords> optionsOf(const CLI::App& command);
std::vector<OptionWords> positionalsOf(const CLI::App& command);

/// Returns the subcommands that a command's help lists.
std::vector<const CLI::App*> subcommandsOf(const CLI::App& command);

/// Returns the first line without a full stop at its end, to be shown beside a name.
std::string summaryOf(const std::string& description);

}  // namespace softscope
