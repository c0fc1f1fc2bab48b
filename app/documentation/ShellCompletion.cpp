#include "app/documentation/Documentation.h"
#include "app/documentation/OptionWords.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <sstream>
#include <vector>

namespace softscope {

namespace {

std::vector<std::string> optionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const OptionWords& option : optionsOf(command)) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// Returns the words that its positionals can be: for figure, the kinds.
std::vector<std::string> positionalChoices(const CLI::App& command) {
  std::vector<std::string> words;
  for (const OptionWords& positional : positionalsOf(command)) {
    words.insert(words.end(), positional.choices.begin(), positional.choices.end());
  }
  return words;
}

std::vector<std::string> subcommandNames(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : subcommandsOf(program)) names.push_back(command->get_name());
  return names;
}

/// Writes the case of one command in bash's function: options, words of positionals, words of
/// options.
void writeBashCommand(std::ostream& script, const std::string& pattern, const CLI::App& command,
                      const std::vector<std::string>& more) {
  std::vector<std::string> words = positionalChoices(command);
  words.insert(words.end(), more.begin(), more.end());
  script << "    " << pattern << ")\n"
         << "      options=" << shellQuoted(listText(optionNames(command), " ")) << '\n'
         << "      words=" << shellQuoted(listText(words, " ")) << '\n'
         << "      case \"$previous\" in\n";
  for (const OptionWords& option : optionsOf(command)) {
    if (option.placeholder.empty()) continue;
    // Where the words are not known, a value may be a file, but is none of the positionals' words.
    script << "        " << listText(option.names, "|")
           << ") options= words=" << shellQuoted(listText(option.choices, " "))
           << (option.choices.empty() ? " ;;\n" : " only=yes ;;\n");
  }
  script << "      esac ;;\n";
}

/// Escapes brackets and colons, which zsh's _arguments interprets.
std::string zshText(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

std::string zshAction(const OptionWords& option) {
  return option.choices.empty() ? "_files" : "(" + listText(option.choices, " ") + ")";
}

void writeZshArguments(std::ostream& script, const CLI::App& command) {
  script << "_arguments -s";
  for (const OptionWords& option : optionsOf(command)) {
    for (const std::string& name : option.names) {
      std::string text = "*" + name + "[" + zshText(summaryOf(option.description)) + "]";
      if (!option.placeholder.empty()) {
        text += ":" + zshText(option.placeholder) + ":" + zshAction(option);
      }
      script << " \\\n        " << shellQuoted(text);
    }
  }
  for (const OptionWords& positional : positionalsOf(command)) {
    script << " \\\n        "
           << shellQuoted((positional.isRepeated ? "*:" : ":") + zshText(positional.placeholder) +
                          ":" + zshAction(positional));
  }
}

void writeFishOptions(std::ostream& script, const std::string& condition, const CLI::App& command) {
  for (const OptionWords& option : optionsOf(command)) {
    script << "complete -c softscope -n " << shellQuoted(condition);
    for (const std::string& name : option.names) {
      script << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
    }
    if (!option.placeholder.empty()) script << " -r";
    if (!option.choices.empty()) script << " -f -a " << shellQuoted(listText(option.choices, " "));
    script << " -d " << shellQuoted(summaryOf(option.description)) << '\n';
  }
  const std::vector<std::string> words = positionalChoices(command);
  if (!words.empty()) {
    script << "complete -c softscope -n " << shellQuoted(condition) << " -a "
           << shellQuoted(listText(words, " ")) << '\n';
  }
}

}  // namespace

std::string bashCompletion(const CLI::App& program) {
  std::ostringstream script;
  script << "# Completes softscope in bash.\n"
            "_softscope() {\n"
            "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
            "  local command=${COMP_WORDS[1]} options= words= only=\n"
            "  [ \"$COMP_CWORD\" -eq 1 ] && command=\n"
            "  case \"$command\" in\n";
  for (const CLI::App* command : subcommandsOf(program)) {
    writeBashCommand(script, command->get_name(), *command, {});
  }
  writeBashCommand(script, "*", program, subcommandNames(program));
  script << "  esac\n"
            "  if [[ $current == -* ]]; then words=$options; only=yes; fi\n"
            "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
            "  if [ -z \"$only\" ]; then\n"
            "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$current\")\n"
            "  fi\n"
            "}\n"
            "complete -o filenames -F _softscope softscope\n";
  return script.str();
}

std::string zshCompletion(const CLI::App& program) {
  std::ostringstream script;
  script << "#compdef softscope\n# Completes softscope in zsh.\n"
            "_softscope() {\n"
            "  local -a commands\n"
            "  commands=(";
  for (const CLI::App* command : subcommandsOf(program)) {
    script << "\n    "
           << shellQuoted(command->get_name() + ":" +
                          zshText(summaryOf(command->get_description())));
  }
  script << "\n  )\n"
            "  if (( CURRENT == 2 )) && [[ $words[CURRENT] != -* ]]; then\n"
            "    _describe 'subcommand' commands\n"
            "    _files\n"
            "    return\n"
            "  fi\n"
            "  case $words[2] in\n";
  for (const CLI::App* command : subcommandsOf(program)) {
    script << "    " << command->get_name() << ")\n      shift words; (( CURRENT-- ))\n      ";
    writeZshArguments(script, *command);
    script << " ;;\n";
  }
  script << "    *)\n      ";
  writeZshArguments(script, program);
  script << " ;;\n  esac\n}\n_softscope \"$@\"\n";
  return script.str();
}

std::string fishCompletion(const CLI::App& program) {
  std::ostringstream script;
  script << "# Completes softscope in fish.\n";
  const std::string none =
      "not __fish_seen_subcommand_from " + listText(subcommandNames(program), " ");
  for (const CLI::App* command : subcommandsOf(program)) {
    script << "complete -c softscope -n " << shellQuoted(none) << " -a " << command->get_name()
           << " -d " << shellQuoted(summaryOf(command->get_description())) << '\n';
  }
  writeFishOptions(script, none, program);
  for (const CLI::App* command : subcommandsOf(program)) {
    writeFishOptions(script, "__fish_seen_subcommand_from " + command->get_name(), *command);
  }
  return script.str();
}

}  // namespace softscope
