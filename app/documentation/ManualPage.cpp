#include "app/documentation/Documentation.h"
#include "app/documentation/OptionWords.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace softscope {

namespace {

/// Escapes text so that man(7) finds no requests in it.
std::string escaped(const std::string& text) {
  std::string result;
  bool lineBegins = true;
  for (const char letter : text) {
    if (lineBegins && (letter == '.' || letter == '\'')) result += "\\&";
    lineBegins = letter == '\n';
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
  }
  return result;
}

void writeOption(std::ostream& page, const OptionWords& option) {
  page << ".TP\n";
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ", ") + ("\\fB" + escaped(name) + "\\fR");
  }
  page << names;
  if (!option.placeholder.empty()) {
    page << (names.empty() ? "" : " ") << "\\fI" << escaped(option.placeholder) << "\\fR";
  }
  page << '\n' << escaped(option.description) << '\n';
  if (option.choices.empty() || option.names.empty()) return;
  page << "One of";
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    page << (i > 0 ? ", " : " ") << escaped(option.choices[i]);
  }
  page << ".\n";
}

void writeOptions(std::ostream& page, const CLI::App& command) {
  for (const OptionWords& positional : positionalsOf(command)) writeOption(page, positional);
  for (const OptionWords& option : optionsOf(command)) writeOption(page, option);
}

/// Writes lines unchanged: examples, and tables of what a folder holds.
void writeLines(std::ostream& page, const std::string& text) {
  if (text.empty()) return;
  page << ".PP\n.nf\n" << escaped(text) << "\n.fi\n";
}

}  // namespace

std::string manualPage(const CLI::App& program, const std::string& version) {
  std::ostringstream page;
  page
      << ".TH SOFTSCOPE 1 \"\" \"Softscope " << escaped(version) << "\" \"User Commands\"\n"
      << ".SH NAME\nsoftscope \\- look inside softmax\\-free and linear\\-attention vision models\n"
      << ".SH SYNOPSIS\n.B softscope\n[\\fIIMAGE\\fR] [\\fB\\-m\\fR \\fICKPT\\fR]...\n.br\n"
      << ".B softscope\n\\fISUBCOMMAND\\fR [\\fIOPTION\\fR]...\n"
      << ".SH DESCRIPTION\n"
      << escaped(program.get_description()) << '\n'
      << ".SH OPTIONS\n";
  writeOptions(page, program);
  for (const CLI::App* command : subcommandsOf(program)) {
    page << ".SH \"SOFTSCOPE " << escaped(command->get_name()) << "\"\n"
         << escaped(command->get_description()) << ".\n";
    writeOptions(page, *command);
    writeLines(page, command->get_footer());
  }
  page << ".SH EXAMPLES\n";
  writeLines(page, program.get_footer());
  return page.str();
}

}  // namespace softscope
