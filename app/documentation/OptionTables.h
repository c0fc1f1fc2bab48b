#pragma once

#include <string>

namespace CLI {
class App;
}

namespace softscope {

/// Returns the options of the program and of every subcommand in Markdown, for
/// docs/guide/command-line.md: for each, a heading with its name, which for the program is
/// `softscope`, and below it a table for each group of options. `--help`, which all of them have,
/// is left out.
std::string optionTables(const CLI::App& program);

}  // namespace softscope
