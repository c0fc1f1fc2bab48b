#pragma once

#include <string>

namespace CLI {
class App;
}

namespace softscope {

// What a shell needs to complete subcommands, options and the words that options take. The scripts
// hold all of it, so that no key waits for the program to start.

std::string bashCompletion(const CLI::App& program);
std::string zshCompletion(const CLI::App& program);
std::string fishCompletion(const CLI::App& program);

}  // namespace softscope
