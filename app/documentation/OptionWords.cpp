#include "app/documentation/OptionWords.h"

#include <CLI/CLI.hpp>

#include <cctype>

namespace softscope {

namespace {

/// Returns the words between the first braces: `NAME:{a,b}`, `on|off:{off,on}`.
std::vector<std::string> choicesIn(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::string word;
  for (std::size_t i = open + 1; i <= close; ++i) {
    if (type[i] != ',' && type[i] != '}') {
      word += type[i];
      continue;
    }
    choices.push_back(word);
    word.clear();
  }
  return choices;
}

}  // namespace

OptionWords wordsOf(const CLI::Option& option) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (option.get_positional()) {
    words.placeholder = option.get_name(true);
    words.isRepeated = option.get_expected_max() > 1;
    words.choices = choicesIn(option.get_type_name());
  } else if (option.get_expected_max() > 0 && option.get_type_size() != 0) {
    const std::string type = option.get_type_name();
    words.placeholder = type.substr(0, type.find(':'));
    words.choices = choicesIn(type);
  }
  words.description = option.get_description();
  return words;
}

std::vector<OptionWords> optionsOf(const CLI::App& command) {
  std::vector<OptionWords> options;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional() && !option->get_group().empty()) {
      options.push_back(wordsOf(*option));
    }
  }
  return options;
}

std::vector<OptionWords> positionalsOf(const CLI::App& command) {
  std::vector<OptionWords> positionals;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) positionals.push_back(wordsOf(*option));
  }
  return positionals;
}

std::vector<const CLI::App*> subcommandsOf(const CLI::App& command) {
  return command.get_subcommands(
      [](const CLI::App* subcommand) { return !subcommand->get_group().empty(); });
}

std::string summaryOf(const std::string& description) {
  std::string summary = description.substr(0, description.find('\n'));
  while (!summary.empty() &&
         (summary.back() == '.' || std::isspace(static_cast<unsigned char>(summary.back())))) {
    summary.pop_back();
  }
  return summary;
}

}  // namespace softscope
