#pragma once

#include <string>

namespace CLI {
class App;
}

namespace softscope {

/// The manual page of the program and its subcommands, as man(7) reads it: every option with its
/// description, from the options themselves.
std::string manualPage(const CLI::App& program, const std::string& version);

}  // namespace softscope
