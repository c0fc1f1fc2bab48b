#include "app/documentation/Documentation.h"
#include "app/documentation/OptionWords.h"

#include <CLI/CLI.hpp>

#include <sstream>
#include <vector>

namespace softscope {

namespace {

/// Escapes text for a cell of a Markdown table, which is a single line.
std::string markdownCell(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\n') {
      result += "<br>";
      continue;
    }
    if (letter == '|' || letter == '*' || letter == '_' || letter == '`' || letter == '\\') {
      result += '\\';
    }
    result += letter == '<' ? std::string("&lt;") : std::string(1, letter);
  }
  return result;
}

std::string tableUsage(const OptionWords& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "`" : ", `") + name + "`";
  if (!option.placeholder.empty())
    text += (text.empty() ? "" : " ") + markdownCell(option.placeholder);
  return text;
}

/// Returns `a|b`, which means the same as `One of a, b`.
std::string alternatives(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) text += (text.empty() ? "" : "|") + choice;
  return text;
}

std::string tableMeaning(const OptionWords& option) {
  std::string text = markdownCell(option.description);
  // The description of a positional says what its values can be.
  const bool isTold = option.names.empty() || option.placeholder == alternatives(option.choices);
  if (option.choices.empty() || isTold) return text;
  if (!text.empty()) text += text.ends_with('.') ? " " : ". ";
  text += "One of ";
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    text += (i > 0 ? ", `" : "`") + option.choices[i] + "`";
  }
  return text;
}

void writeTableRow(std::ostream& page, const OptionWords& option) {
  page << "| " << tableUsage(option) << " | " << tableMeaning(option) << " |\n";
}

void writeTableHead(std::ostream& page) {
  page << "\n| | |\n|---|---|\n";
}

/// Positionals are listed with the options that are in no group of their own.
void writeOptionTables(std::ostream& page, const CLI::App& command) {
  const std::string ungrouped = "Options";
  for (const std::string& group : command.get_groups()) {
    if (group.empty()) continue;
    std::vector<OptionWords> listed;
    if (group == ungrouped) listed = positionalsOf(command);
    for (const CLI::Option* option : command.get_options()) {
      const bool belongs = option->get_group() == group && !option->get_positional();
      if (belongs && option != command.get_help_ptr()) listed.push_back(wordsOf(*option));
    }
    if (listed.empty()) continue;
    if (group != ungrouped) page << "\n**" << markdownCell(group) << "**\n";
    writeTableHead(page);
    for (const OptionWords& option : listed) writeTableRow(page, option);
  }
}

}  // namespace

std::string optionTables(const CLI::App& program) {
  std::ostringstream page;
  page << "## softscope\n";
  writeOptionTables(page, program);
  for (const CLI::App* command : subcommandsOf(program)) {
    page << "\n## " << command->get_name() << '\n';
    writeOptionTables(page, *command);
  }
  return page.str();
}

}  // namespace softscope
