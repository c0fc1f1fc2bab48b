#pragma once

#include <string>

namespace CLI {
class App;
}

namespace softscope {

/// Returns the manual page of the program and its subcommands for man(7): every option with its
/// description, taken from the options themselves.
std::string manualPage(const CLI::App& program, const std::string& version);

/// Returns the options of the program and of every subcommand in Markdown, for
/// docs/guide/command-line.md: for each, a heading with its name, which for the program is
/// `softscope`, and below it a table for each group of options. `--help`, which all of them have,
/// is left out.
std::string optionTables(const CLI::App& program);

// Scripts with which a shell completes subcommands, options and the words that options take. They
// hold all of these, so that no keystroke waits for the program to start.

std::string bashCompletion(const CLI::App& program);
std::string zshCompletion(const CLI::App& program);
std::string fishCompletion(const CLI::App& program);

}  // namespace softscope
