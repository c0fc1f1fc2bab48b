#pragma once

#include <string>

namespace CLI {
class App;
}

namespace softscope {

/// Returns the manual page of the program and its subcommands for man(7): every option with its
/// description, taken from the options themselves.
std::string manualPage(const CLI::App& program, const std::string& version);

}  // namespace softscope
