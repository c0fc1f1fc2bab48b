// The program of the subcommands; without a window, all there is of Softscope.
#include "app/commands/Commands.h"
#include "app/program/Program.h"
#ifdef SOFTSCOPE_HAS_GUI
#include "app/arguments/WindowArguments.h"
#endif

namespace {

void describeCommands(CLI::App& program, softscope::Command& chosen) {
#ifdef SOFTSCOPE_HAS_GUI
  // For the manual page, which tells of the window, too.
  static softscope::WindowArguments window;
  softscope::addWindowOptions(program, window);
#endif
  softscope::addInspectCommand(program, chosen);
  softscope::addDumpCommand(program, chosen);
  softscope::addRecordCommand(program, chosen);
  softscope::addConvertCommand(program, chosen);
#ifdef SOFTSCOPE_HAS_IMAGE
  softscope::addTrainCommand(program, chosen);
  softscope::addEvaluateCommand(program, chosen);
  softscope::addLineScoresCommand(program, chosen);
  softscope::addSurveyCommand(program, chosen);
#endif
  softscope::addMergeCommand(program, chosen);
  softscope::addTableCommand(program, chosen);
  softscope::addFigureCommand(program, chosen);
  softscope::addMeasureCostCommand(program, chosen);
  softscope::addDocumentationCommand(program, chosen);
}

}  // namespace

int main(int argc, char** argv) {
  return softscope::runProgram(argc, argv, describeCommands);
}
