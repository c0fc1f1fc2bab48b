#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace softscope {

/// What a reader, or a shell that completes words, needs to know of an option.
struct OptionWords {
  /// `-o`, `--output`; empty for a positional.
  std::vector<std::string> names;
  /// What stands for its value: `FILE`, `N`; empty for a flag.
  std::string placeholder;
  /// The words that its value can be, where there are only so many.
  std::vector<std::string> choices;
  std::string description;
};

OptionWords wordsOf(const CLI::Option& option);

/// Options and positionals of a command that its help lists, in that order.
std::vector<OptionWords> optionsOf(const CLI::App& command);
std::vector<OptionWords> positionalsOf(const CLI::App& command);

/// Subcommands that its help lists.
std::vector<const CLI::App*> subcommandsOf(const CLI::App& command);

/// The first line, without a full stop at its end: what fits beside a name.
std::string summaryOf(const std::string& description);

}  // namespace softscope
