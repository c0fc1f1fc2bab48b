#include "app/arguments/CommandProgress.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/Note.h"
#include "app/arguments/TypedCommand.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/files/Overwriting.h"
#include "core/survey/SurveyWriter.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace softscope {

namespace {

struct MergeArguments {
  std::vector<std::string> inputs;
  std::string output;
};

int merge(const MergeArguments& arguments) {
  checkOutputs({arguments.output}, filesRead({}, arguments.inputs));
  ProgressLine line;
  Progress progress = percentOn(line);
  const Interruption interruption(progress);
  const std::int64_t pictures =
      mergeSurveys(arguments.inputs, arguments.output, typedCommand(), progress);
  line.clear();
  sayWritten(arguments.output, ": " + countedText(pictures, "picture"));
  return 0;
}

}  // namespace

void addMergeCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command = addListedCommand(program, "merge");
  command->add_option("SURVEY", arguments->inputs, "Surveys that softscope survey --shard wrote")
      ->type_name("")
      ->required();
  command->add_option("-o,--output", arguments->output, "Survey to write")
      ->type_name("FILE.survey")
      ->required();
  command->footer(
      "They must be of the same models, measures and pictures, none of which may be missing or\n"
      "there twice.\n\n"
      "Example:\n  softscope merge part-*.survey -o all.survey");
  command->callback([&chosen, arguments] { chosen = [arguments] { return merge(*arguments); }; });
}

}  // namespace softscope
