#include "app/program/Program.h"

#include "app/arguments/ModelArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/TypedCommand.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "core/Error.h"
#include "core/files/PartFile.h"
#include "core/machine/StandardStreams.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace softscope {

std::string programFolder() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).parent_path().string();
}

/// Returns the one of `names` that `word` was probably meant to be: at most a third of its letters
/// differ, counting each missing, extra, wrong or swapped letter once. Empty if none is close
/// enough.
std::string nearestName(const std::string& word, const std::vector<std::string>& names);

/// Says that a first argument is neither one of `subcommands` nor a file, and which subcommand may
/// have been meant. Returns an empty text for a subcommand or a file, and for anything but a word
/// of letters and dashes.
std::string wrongFirstWord(const std::string& word, const std::vector<std::string>& subcommands);

namespace {

/// Returns the optimal string alignment distance: that of Damerau and Levenshtein, but with each
/// place changed only once.
std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) distance[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) distance[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      distance[i][j] = std::min(
          {distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + other});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  }
  return distance[a.size()][b.size()];
}

bool isWord(const std::string& text) {
  return !text.empty() && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](unsigned char letter) {
           return std::isalpha(letter) || letter == '-' || letter == '_';
         });
}

constexpr int failure = 1;
constexpr int wrongCommandLine = 2;

/// Returns the exit code, or that of an error if something printed was lost.
int finish(int exitCode) {
  try {
    checkStandardOutput();
  } catch (const Error& error) {
    if (exitCode == 0) return complain(error.what(), failure);
  }
  if (exitCode == 0) sayNotesOnResult();
  return exitCode;
}

int runCommand(const Command& command) {
  try {
    return finish(command());
  } catch (const UsageError& error) {
    return complain(error.what(), wrongCommandLine);
  } catch (const Error& error) {
    return complain(error.what(), failure);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory; try a smaller --size, or fewer --layers or --rows",
                    failure);
  } catch (const std::exception& error) {
    return complain(error.what(), failure);
  }
}

/// Returns the parser's own words with what its numbers and types of arguments mean:
/// `--size: At Most 1 required but received 2` says how often an option was given, and
/// `--layers: 1 required GLOB missing` that it has no value.
std::string countText(const std::string& said) {
  const std::size_t colon = said.find(": ");
  if (!said.starts_with('-') || colon == std::string::npos) return said;
  const std::string option = said.substr(0, colon);
  const std::string_view rest = std::string_view(said).substr(colon + 2);
  constexpr std::string_view tooMany = "At Most 1 required but received ";
  if (rest.starts_with(tooMany)) {
    return option + " takes one value, and was given " + std::string(rest.substr(tooMany.size())) +
           "; give one";
  }
  const bool isMissing = rest.starts_with("1 required ") && rest.ends_with(" missing");
  return isMissing ? option + " needs a value" : said;
}

/// Returns `KIND: "hedas" is none of heads, page and sweep; did you mean heads?` for a value that
/// is none of a list's; empty for other words of the parser.
std::string membershipText(const std::string& said) {
  constexpr std::string_view notIn = " not in {";
  const std::size_t colon = said.find(": ");
  const std::size_t list = said.rfind(notIn);
  if (colon == std::string::npos || list == std::string::npos || list < colon + 2 ||
      !said.ends_with('}')) {
    return {};
  }
  const std::string value = said.substr(colon + 2, list - colon - 2);
  const std::size_t begin = list + notIn.size();
  const std::vector<std::string> names =
      CLI::detail::split(said.substr(begin, said.size() - 1 - begin), ',');
  const std::string nearest = nearestName(value, names);
  return said.substr(0, colon) + ": " + quotedText(value) + " is none of " + listedWithOr(names) +
         (nearest.empty() ? std::string() : "; did you mean " + nearest + "?");
}

/// Returns `--limit takes a whole number, not "1e2"` for a value that the parser could not convert,
/// and other words of the parser as membershipText() and countText() do.
std::string conversionText(const std::string& said, const CLI::App& command) {
  constexpr std::string_view unconverted = "Could not convert: ";
  const std::size_t equals = said.find(" = ");
  if (!said.starts_with(unconverted) || equals == std::string::npos) {
    const std::string member = membershipText(said);
    return member.empty() ? countText(said) : member;
  }
  const std::string name = said.substr(unconverted.size(), equals - unconverted.size());
  const CLI::Option* option = command.get_option_no_throw(name);
  const bool isCount = option != nullptr && option->get_type_name() == "N";
  return name + (isCount ? " takes a whole number, not " : " does not take ") +
         quotedText(said.substr(equals + 3));
}

/// Replaces an option's first name, which the parser begins with, by the one that was typed.
std::string withTypedName(std::string text, const CLI::App& command,
                          const std::vector<std::string>& words) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = "--" + option->get_single_name();
    const char behind = text.size() > name.size() ? text[name.size()] : '\0';
    if (!text.starts_with(name) || (behind != ' ' && behind != ':')) continue;
    const auto isTyped = [&](const std::string& other) {
      return std::ranges::any_of(words, [&](const std::string& word) {
        return word == "--" + other || word.starts_with("--" + other + "=");
      });
    };
    const auto typed = std::ranges::find_if(option->get_lnames(), isTyped);
    if (typed != option->get_lnames().end()) text.replace(0, name.size(), "--" + *typed);
    return text;
  }
  return text;
}

/// Returns `; did you mean --width?` for `--wdth`, or nothing where no option of `command` is like
/// it.
std::string suggestedOption(const std::string& word, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string nearest = nearestName(word.substr(0, word.find('=')), names);
  return nearest.empty() ? std::string() : "; did you mean " + nearest + "?";
}

/// Returns what is wrong with a command line of `command` that was not parsed. An unknown option
/// comes before all else: its value, taken for a positional argument, may be what the parser
/// complains of.
std::string parseErrorText(const CLI::App& program, const CLI::App& command,
                           const CLI::ParseError& error, const std::vector<std::string>& words) {
  const std::vector<std::string> left = program.remaining(true);
  const auto unknown = std::ranges::find_if(
      left, [](const std::string& text) { return text.size() > 1 && text.front() == '-'; });
  if (unknown == left.end()) {
    return withTypedName(conversionText(error.what(), command), command, words);
  }
  return std::string("The following argument") + (left.size() > 1 ? "s were" : " was") +
         " not expected: " + listText(left, " ") + suggestedOption(*unknown, command);
}

/// Returns the subcommand that was parsed last, or the program itself, and adds the names that lead
/// to it to `names`.
const CLI::App& parsedCommand(const CLI::App& program, std::string& names) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    names += " " + command->get_name();
  }
  return *command;
}

/// Returns the first option of the program itself that was given, or nothing.
std::string givenToTheWindow(const CLI::App& program) {
  for (const CLI::Option* option : program.get_options()) {
    if (option->count() > 0) return option->get_name();
  }
  return {};
}

std::vector<std::string> subcommandNames(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// Returns what is wrong with a command line that has an empty word, such as that of a variable
/// that is not set; empty without one. No option takes one.
std::string emptyWord(const std::vector<std::string>& words) {
  const auto empty = std::ranges::find(words, std::string());
  if (empty == words.end()) return {};
  const bool isValue = empty != words.begin() && std::prev(empty)->starts_with('-');
  return (isValue ? "the value of " + *std::prev(empty) : "one of the arguments") +
         std::string(" is empty; give one, or leave it out");
}

void describeProgram(CLI::App& program) {
  program.description(
      "Looks inside softmax-free and linear-attention vision models: opens a checkpoint as its\n"
      "authors published it and a picture, and shows what every head attends to.\n"
      "Without a subcommand it opens the window.");
  program.set_version_flag("--version", "softscope " SOFTSCOPE_VERSION);
  program.footer(
      "Examples:\n"
      "  softscope                                        the window, on the bundled picture\n"
      "  softscope cat.jpg -m soft_tiny.pth               the window, on your own\n"
      "  softscope inspect soft_tiny.pth                  what is this checkpoint?\n"
      "  softscope figure heads -m soft_tiny.pth cat.jpg -o heads.pdf --at 0.4,0.3\n"
      "  softscope dump -m soft_tiny.pth cat.jpg -o dump  every number, as NumPy arrays\n\n"
      "softscope SUBCOMMAND --help tells the rest. Exit codes: 0 done; 1 one line on stderr says\n"
      "what is wrong and what to do; 2 the command line cannot be meant.");
  program.require_subcommand(0, 1);
}

}  // namespace

std::string nearestName(const std::string& word, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = editDistance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string wrongFirstWord(const std::string& word, const std::vector<std::string>& subcommands) {
  std::error_code failed;
  const bool known = std::find(subcommands.begin(), subcommands.end(), word) != subcommands.end();
  if (known || !isWord(word) || std::filesystem::exists(word, failed)) return {};
  const std::string nearest = nearestName(word, subcommands);
  return "\"" + word + "\" is neither a subcommand nor a file; " +
         (nearest.empty() ? "softscope --help tells what there is"
                          : "did you mean softscope " + nearest + "?");
}

void endProcess(int exitCode) {
  std::cout.flush();
  std::fflush(nullptr);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(exitCode);  // A sanitizer reports leaks and sets the exit code at the end.
#else
  std::_Exit(exitCode);
#endif
}

int complain(const std::string& message, int exitCode) {
  note(message);
  return exitCode;
}

int runProgram(int argc, char** argv,
               const std::function<void(CLI::App& program, Command& chosen)>& describe) {
  openStandardStreams();
  removePartsOnSignals();
  CLI::App program("", "softscope");
  Command command;
  rememberCommand(argc, argv);
  describeProgram(program);
  describe(program, command);
  const std::string wrongWord = argc < 2 ? "" : wrongFirstWord(argv[1], subcommandNames(program));
  if (!wrongWord.empty()) return complain(wrongWord, wrongCommandLine);
  const std::string empty = emptyWord({argv + std::min(argc, 1), argv + argc});
  if (!empty.empty()) return complain(empty, wrongCommandLine);
  try {
    const std::vector<std::string> words = wordsWithJoinedFlag({argv, argv + argc});
    std::vector<const char*> texts;
    for (const std::string& word : words) texts.push_back(word.c_str());
    program.parse(static_cast<int>(texts.size()), texts.data());
  } catch (const CLI::Success& request) {
    return finish(program.exit(request));
  } catch (const CLI::ParseError& error) {
    std::string names = "softscope";
    const CLI::App& parsed = parsedCommand(program, names);
    return complain(parseErrorText(program, parsed, error, {argv, argv + argc}) + " (" + names +
                        " --help tells what there is)",
                    wrongCommandLine);
  } catch (const UsageError& error) {
    return complain(error.what(), wrongCommandLine);
  }
  const std::string early = givenToTheWindow(program);
  if (!early.empty() && !program.get_subcommands().empty()) {
    return complain(
        early + " stands before the subcommand, where it is the window's; give it after",
        wrongCommandLine);
  }
  if (!command)
    return complain("this build has no window; name a subcommand (softscope --help)",
                    wrongCommandLine);
  return runCommand(command);
}

}  // namespace softscope
