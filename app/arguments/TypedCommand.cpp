#include "app/arguments/TypedCommand.h"

#include "core/text/Words.h"

#include <vector>

namespace softscope {

namespace {

std::vector<std::string>& typedArguments() {
  static std::vector<std::string> arguments;
  return arguments;
}

}  // namespace

void rememberCommand(int argc, const char* const* argv) {
  typedArguments().assign(argv + 1, argv + argc);
}

std::string typedCommand() {
  std::vector<std::string> words{"softscope"};
  for (const std::string& argument : typedArguments()) words.push_back(shellWord(argument));
  return listText(words, " ");
}

}  // namespace softscope
