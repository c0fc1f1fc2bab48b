#include "tests/app/commands/Run.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace softscope::test {
namespace {

std::string documentation(const std::string& form) {
  const Outcome outcome = softscope("documentation " + form);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  return outcome.output;
}

/// The words at the beginning of the lines that `softscope --help` lists subcommands with.
std::vector<std::string> listedSubcommands() {
  const std::string help = softscope("--help").output;
  std::istringstream lines(help.substr(help.find("Subcommands:")));
  std::vector<std::string> names;
  std::string line;
  std::getline(lines, line);
  const std::regex entry("^  ([a-z]+) .*");
  for (std::smatch match; std::getline(lines, line) && !line.empty();) {
    if (std::regex_match(line, match, entry)) names.push_back(match[1]);
  }
  return names;
}

std::set<std::string> longOptionsOf(const std::string& subcommand) {
  const std::string help = softscope(subcommand + " --help").output;
  const std::regex option("(?:^|\n)  (?:-.,)?(--[a-z0-9-]+)");
  std::set<std::string> names;
  for (std::sregex_iterator match(help.begin(), help.end(), option), end; match != end; ++match) {
    names.insert((*match)[1]);
  }
  return names;
}

std::string withHyphensEscaped(std::string text) {
  return std::regex_replace(text, std::regex("-"), "\\-");
}

/// What bash completes the last word of `line` to.
std::string bashCompletes(const std::vector<std::string>& line) {
  const TemporaryFolder folder;
  std::ofstream script(folder / "script");
  script << documentation("bash") << "COMP_WORDS=(";
  for (const std::string& word : line) script << " '" << word << "'";
  script << ")\nCOMP_CWORD=" << line.size() - 1 << "\n_softscope\necho \"${COMPREPLY[@]}\"\n";
  script.close();
  const std::string command =
      "bash " + (folder / "script") + " >" + (folder / "out") + " 2>" + (folder / "err");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(contentOf(folder / "err"), "");
  return contentOf(folder / "out");
}

/// What stands in Markdown below the heading of a subcommand.
std::string tablesOf(const std::string& markdown, const std::string& subcommand) {
  const std::string heading = "\n## " + subcommand + '\n';
  const std::size_t from = markdown.find(heading);
  if (from == std::string::npos) return {};
  return markdown.substr(from, markdown.find("\n## ", from + heading.size()) - from);
}

TEST(Documentation, NamesEverySubcommandAndOption) {
  const std::string man = documentation("man");
  const std::string bash = documentation("bash");
  const std::string zsh = documentation("zsh");
  const std::string fish = documentation("fish");
  const std::string markdown = documentation("markdown");
  const std::vector<std::string> subcommands = listedSubcommands();
  ASSERT_GE(subcommands.size(), 5u);
  for (const std::string& subcommand : subcommands) {
    EXPECT_NE(man.find(".SH \"SOFTSCOPE " + subcommand + '"'), std::string::npos) << subcommand;
    EXPECT_NE(bash.find("    " + subcommand + ")\n"), std::string::npos) << subcommand;
    EXPECT_NE(zsh.find("'" + subcommand + ":"), std::string::npos) << subcommand;
    EXPECT_NE(fish.find(" -a " + subcommand + " "), std::string::npos) << subcommand;
    const std::string table = tablesOf(markdown, subcommand);
    const std::set<std::string> options = longOptionsOf(subcommand);
    EXPECT_TRUE(options.contains("--help")) << subcommand;
    for (const std::string& option : options) {
      EXPECT_NE(man.find("\\fB" + withHyphensEscaped(option) + "\\fR"), std::string::npos)
          << option;
      EXPECT_NE(bash.find(option), std::string::npos) << option;
      EXPECT_NE(zsh.find("'*" + option + "["), std::string::npos) << option;
      EXPECT_EQ(table.find('`' + option + '`') == std::string::npos, option == "--help") << option;
      EXPECT_NE(fish.find(" -l " + option.substr(2) + " "), std::string::npos) << option;
    }
  }
  EXPECT_EQ(man.find("measure\\-cost"), std::string::npos);
  EXPECT_EQ(markdown.find("measure-cost"), std::string::npos);
}

TEST(Documentation, TablesHaveTwoCellsALine) {
  std::istringstream lines(documentation("markdown"));
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) continue;
    ++rows;
    const std::string bars = std::regex_replace(line, std::regex(R"(\\\||[^|])"), "");
    EXPECT_EQ(bars, "|||") << line;
  }
  EXPECT_GT(rows, 100);
}

TEST(Documentation, BashCompletesWords) {
  EXPECT_EQ(bashCompletes({"softscope", "insp"}), "inspect\n");
  EXPECT_EQ(bashCompletes({"softscope", "figure", "spec"}), "spectrum\n");
  EXPECT_EQ(bashCompletes({"softscope", "dump", "--row"}), "--rows\n");
  EXPECT_EQ(bashCompletes({"softscope", "figure", "--weights", ""}), "ema raw auto\n");
  EXPECT_EQ(bashCompletes({"softscope", "figure", "heads", "--attention", "spec"}), "\n");
  EXPECT_EQ(bashCompletes({"softscope", "figure", "--at", "spec"}), "\n");
  const std::string folder = SOFTSCOPE_SOURCE "/resour";
  EXPECT_EQ(bashCompletes({"softscope", "figure", "heads", "-o", folder}), folder + "ces\n");
  EXPECT_EQ(bashCompletes({"softscope", "figure", "heads", "--smooth", "spec"}), "spectrum\n");
}

TEST(Documentation, ZshCompletesAllOfSeveralFiles) {
  const std::string zsh = documentation("zsh");
  for (const char* several : {"'*:SURVEY:_files'", "'*:IMAGE:_files'"}) {
    EXPECT_NE(zsh.find(several), std::string::npos) << several;
  }
  EXPECT_NE(zsh.find("':CKPT:_files'"), std::string::npos);
}

TEST(Documentation, IsOfKnownForms) {
  const Outcome outcome = softscope("documentation html");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.errorLines(), 1);
}

}  // namespace
}  // namespace softscope::test
