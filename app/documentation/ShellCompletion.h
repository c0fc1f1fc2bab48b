#pragma once

#include <string>

namespace CLI {
class App;
}

namespace softscope {

// Scripts with which a shell completes subcommands, options and the words that options take. They
// hold all of these, so that no keystroke waits for the program to start.

std::string bashCompletion(const CLI::App& program);
std::string zshCompletion(const CLI::App& program);
std::string fishCompletion(const CLI::App& program);

}  // namespace softscope
