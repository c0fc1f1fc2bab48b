// The subcommands that run networks, in builds without LibTorch: each says what it needs.
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/Error.h"
#include "models/OnlyRecordings.h"

#include <CLI/CLI.hpp>

#include <string>

namespace softscope {

namespace {

void addRefusal(CLI::App& program, Command& chosen, const std::string& name) {
  CLI::App* command = addListedCommand(program, name);
  command->set_help_flag();
  command->prefix_command();
  command->callback([&chosen, name] {
    chosen = [name]() -> int {
      throw Error(name + " runs networks, for which it needs " + lackOfLibTorch());
    };
  });
}

}  // namespace

#define ADD_REFUSAL(function, name)                   \
  void function(CLI::App& program, Command& chosen) { \
    addRefusal(program, chosen, name);                \
  }
ADD_REFUSAL(addConvertCommand, "convert")
ADD_REFUSAL(addEvaluateCommand, "evaluate")
ADD_REFUSAL(addLineScoresCommand, "linescores")
ADD_REFUSAL(addMeasureCostCommand, "measure-cost")
ADD_REFUSAL(addRecordCommand, "record")
ADD_REFUSAL(addSettingsCommand, "settings")
ADD_REFUSAL(addSurveyCommand, "survey")
ADD_REFUSAL(addTrainCommand, "train")
#undef ADD_REFUSAL

}  // namespace softscope
