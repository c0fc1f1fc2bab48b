#include "app/arguments/TypedCommand.h"

#include "core/text/Words.h"

#include <string_view>
#include <vector>

namespace softscope {

namespace {

std::vector<std::string>& typedArguments() {
  static std::vector<std::string> arguments;
  return arguments;
}

}  // namespace

std::string quotedArgument(const std::string& argument) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+-@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string quoted = "'";
  for (const char letter : argument) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

void rememberCommand(int argc, const char* const* argv) {
  typedArguments().assign(argv + 1, argv + argc);
}

std::string typedCommand() {
  std::vector<std::string> words{"softscope"};
  for (const std::string& argument : typedArguments()) words.push_back(quotedArgument(argument));
  return listText(words, " ");
}

}  // namespace softscope
