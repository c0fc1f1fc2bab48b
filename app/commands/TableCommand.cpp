#include "app/arguments/CommandProgress.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/Note.h"
#include "app/arguments/SurveyPart.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/files/AtomicFile.h"
#include "core/files/Overwriting.h"
#include "core/files/PartFile.h"
#include "core/machine/StandardStreams.h"
#include "core/survey/reading/SurveyReader.h"
#include "core/survey/reading/SurveyTable.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

namespace softscope {

namespace {

struct TableArguments {
  std::string survey;
  std::string output;
  bool summary = false;
  std::string by;
};

/// Returns rows of a table as a terminal may show them: names of pictures and classes are those of
/// files. A line break in a field becomes a space, and the rows stay rows.
std::string printableRows(std::string_view rows) {
  std::string printed;
  bool isQuoted = false;
  for (std::size_t begin = 0, at = 0; at < rows.size(); ++at) {
    if (rows[at] == '"') isQuoted = !isQuoted;
    if (rows[at] != '\n' || isQuoted) continue;
    printed += printableName(rows.substr(begin, at - begin)) + '\n';
    begin = at + 1;
  }
  return printed;
}

void writeSurveyTable(SurveyReader& survey, const TableArguments& arguments,
                      const Progress& progress, std::ostream& stream,
                      const std::function<void()>& failed, bool isTerminal = false) {
  // Text comes in whole rows.
  const auto write = [&](std::string_view text) {
    errno = 0;
    const std::string printed = isTerminal ? printableRows(text) : std::string();
    if (isTerminal) text = printed;
    if (!stream.write(text.data(), static_cast<std::streamsize>(text.size()))) failed();
  };
  if (arguments.summary) {
    write(csvText(surveySummary(survey, !arguments.by.empty(), progress)));
  } else {
    writeSurveyRows(survey, write, progress);
  }
  if (!stream.flush()) failed();
}

int tabulate(const TableArguments& arguments) {
  if (!arguments.by.empty() && !arguments.summary) {
    throw UsageError("--by class goes with --summary; without it every row has its class");
  }
  if (!arguments.output.empty()) {
    checkOutputs({arguments.output}, filesRead({}, {arguments.survey}));
    checkWritable(arguments.output);
  }
  SurveyReader survey(arguments.survey);
  if (!arguments.by.empty() && survey.index()->classes.empty()) {
    throw SurveyError(arguments.survey,
                      "its pictures lie in no class folders; leave out --by class");
  }
  notePartOfSurvey(arguments.survey, *survey.index());
  ProgressLine line;
  Progress progress = percentOn(line);
  const Interruption interruption(progress);
  if (arguments.output.empty()) {
    writeSurveyTable(survey, arguments, progress, std::cout, checkStandardOutput,
                     isatty(STDOUT_FILENO) == 1);
    line.clear();
    return 0;
  }
  writeFileAtomically(arguments.output, [&](const std::string& temporary) {
    std::ofstream file(temporary, std::ios::binary);
    writeSurveyTable(survey, arguments, progress, file,
                     [&] { throw FileError(arguments.output, writeFailure(errno)); });
  });
  line.clear();
  sayWritten(arguments.output);
  return 0;
}

}  // namespace

void addTableCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<TableArguments>();
  CLI::App* command = addListedCommand(program, "table");
  command->add_option("SURVEY", arguments->survey, "What `softscope survey` wrote")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "The file to write; without it the table goes to stdout")
      ->type_name("FILE.csv");
  command->add_flag("--summary", arguments->summary,
                    "Instead of every value: how many there are, mean, standard deviation, "
                    "standard error and quartiles, of each measure of each head");
  command->add_option("--by", arguments->by, "class: a summary for each class")
      ->type_name("class")
      ->check(CLI::IsMember({"class"}));
  command->footer(
      "Rows are model,layer,head,picture,class,measure,value: models by name, layers and heads as "
      "they\nfollow each other, pictures by path. Layer and head are empty for measures of a whole "
      "model, and a\nvalue is empty where it is not defined. Numbers are the shortest that read "
      "back as the same\nfloat64, so that equal surveys give equal bytes.\n\nExamples:\n"
      "  softscope table everyday10.survey -o everyday10.csv\n"
      "  softscope table everyday10.survey --summary --by class");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return tabulate(*arguments); }; });
}

}  // namespace softscope
