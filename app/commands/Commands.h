#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace softscope {

/// What a subcommand does once its options are read. Returns the exit code; throws Error.
using Command = std::function<int()>;

// Each adds its subcommand to the program and sets `chosen` when the command line names it. One
// file per subcommand.
void addInspectCommand(CLI::App& program, Command& chosen);
void addDumpCommand(CLI::App& program, Command& chosen);
void addRecordCommand(CLI::App& program, Command& chosen);
void addConvertCommand(CLI::App& program, Command& chosen);
void addFigureCommand(CLI::App& program, Command& chosen);
/// Not listed: what a figure of costs runs itself with, a process for each point.
void addMeasureCostCommand(CLI::App& program, Command& chosen);
/// Not listed: what packages install is made with it.
void addDocumentationCommand(CLI::App& program, Command& chosen);
void addTrainCommand(CLI::App& program, Command& chosen);
void addEvaluateCommand(CLI::App& program, Command& chosen);
void addLineScoresCommand(CLI::App& program, Command& chosen);
void addSurveyCommand(CLI::App& program, Command& chosen);
void addMergeCommand(CLI::App& program, Command& chosen);
void addTableCommand(CLI::App& program, Command& chosen);

}  // namespace softscope
