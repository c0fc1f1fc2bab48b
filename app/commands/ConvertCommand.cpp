#include "app/arguments/FilesRead.h"
#include "app/arguments/Note.h"
#include "app/arguments/SettingArguments.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/files/Overwriting.h"
#include "core/model/PixelNorm.h"
#include "core/model/SettingOption.h"
#include "core/text/Words.h"
#include "models/ConvertCheckpoint.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>

namespace softscope {

namespace {

struct ConvertArguments {
  std::string checkpoint;
  std::string output;
  bool half = false;
  std::vector<std::string> settings;
  /// Values of the options that open a model, by the names that they have in metadata.
  std::map<std::string, std::string> chosen;
  std::string weights;
  std::string classNames;
  bool ignoresUnexpected = false;
};

std::map<std::string, std::string> parseSettings(const std::vector<std::string>& settings) {
  std::map<std::string, std::string> metadata;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set takes KEY=VALUE, not \"" + setting + "\"");
    }
    const std::string key = setting.substr(0, equals);
    const std::string value = setting.substr(equals + 1);
    const auto [entry, isNew] = metadata.emplace(key, value);
    if (!isNew && entry->second != value) {
      throw UsageError("--set " + key + " was given as " + entry->second + " and as " + value +
                       "; give it once");
    }
  }
  return metadata;
}

/// Throws UsageError if `--set` and an option of its own give different values for one thing.
void refuseGivenTwice(const ConvertArguments& arguments,
                      const std::map<std::string, std::string>& set) {
  std::map<std::string, std::string> given = arguments.chosen;
  given["weights"] = arguments.weights;
  given["classes"] = arguments.classNames;
  for (const auto& [name, value] : given) {
    const auto same = set.find(name);
    if (value.empty() || same == set.end() || same->second == value) continue;
    const std::string option = name == "mechanism" ? "attention"
                               : name == "classes" ? "class-names"
                                                   : name;
    throw UsageError("--set " + name + "=" + same->second + " and --" + option + " " + value +
                     " contradict each other; give one of them");
  }
}

int convert(const ConvertArguments& arguments) {
  requireEnding(arguments.output, "a converted checkpoint", {".safetensors"});
  checkOutputs({arguments.output}, filesRead({arguments.checkpoint}, {arguments.classNames}));
  ConversionOptions options;
  options.half = arguments.half;
  options.ignoresUnexpected = arguments.ignoresUnexpected;
  options.metadata = parseSettings(arguments.settings);
  refuseGivenTwice(arguments, options.metadata);
  for (const auto& [name, value] : arguments.chosen) {
    if (!value.empty()) options.metadata.emplace(name, value);
  }
  // The name of a mean says the deviation, too, as it does where models are opened.
  const auto mean = options.metadata.find("mean");
  if (mean != options.metadata.end() && findPixelNorm(mean->second) != nullptr) {
    options.metadata.emplace("std", mean->second);
  }
  if (!arguments.weights.empty()) options.weights = arguments.weights;
  if (!arguments.classNames.empty()) options.classNames = arguments.classNames;
  const ConversionResult result =
      convertCheckpoint(arguments.checkpoint, arguments.output, options);
  sayWritten(arguments.output, ": " + countedText(std::int64_t(result.tensors), "tensor") + ", " +
                                   countedText(std::int64_t(result.parameters), "value"));
  if (!result.note.empty()) noteOnResult(result.note);
  return 0;
}

/// Adds the options that say what weights do not tell, as commands that open models have them.
void addChoices(CLI::App& command, ConvertArguments& arguments) {
  const auto add = [&](const std::string& option, const std::string& name, const std::string& type,
                       const std::string& description) {
    return command.add_option("--" + option, arguments.chosen[name], description)
        ->type_name(type)
        ->group("Model");
  };
  add("heads", "heads", "N|A,B,C", "Heads to keep in the file, where shapes do not tell");
  add("attention", "mechanism", "NAME", "Mechanism to keep, where the weights allow several");
  add("landmarks", "landmarks", "pooled|N", "Landmarks to keep, where the file does not tell");
  for (const SettingOption& option : settingOptions()) {
    if (option.value == &ModelRequest::plainNorms) {
      command.add_flag("--plain-norms{yes}", arguments.chosen[option.name], option.description)
          ->check(takenBy(option, false))
          ->group("Model");
      continue;
    }
    add(option.name, option.name, option.type, option.description)->check(takenBy(option, false));
  }
}

}  // namespace

void addConvertCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command = addListedCommand(program, "convert");
  command->add_option("CKPT", arguments->checkpoint, "Checkpoint to read")
      ->type_name("")
      ->required();
  command->add_option("-o,--output", arguments->output, "File to write, .safetensors")
      ->type_name("FILE")
      ->required();
  command->add_flag("--half", arguments->half, "Store floating-point values in 16 bits");
  command
      ->add_option(
          "--set", arguments->settings,
          "Metadata to write; repeat for several. Softscope reads architecture, mechanism, heads, "
          "landmarks (pooled, or N), ratios, classes (a JSON list), input_size, crop, filter, and "
          "what the options below are called")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  addChoices(*command, *arguments);
  command->add_option("--weights", arguments->weights, "Copy of the weights to take: ema or raw")
      ->type_name("COPY")
      ->check(CLI::IsMember({"ema", "raw"}));
  command
      ->add_option("--class-names", arguments->classNames,
                   "Names of the classes to keep in the file: a line for each, or JSON")
      ->type_name("FILE");
  command->add_flag("--ignore-unexpected", arguments->ignoresUnexpected,
                    "Say in the metadata what network it looks like, even if it has parameters "
                    "that this one does not have");
  command->footer(
      "Example:\n  softscope convert soft_norm_tiny.pth -o soft_norm_tiny.safetensors --half \\\n"
      "      --set mechanism=soft++ --set input_size=224");
  command->callback([&chosen, arguments] { chosen = [arguments] { return convert(*arguments); }; });
}

}  // namespace softscope
