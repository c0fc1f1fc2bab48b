#include "app/arguments/FilesRead.h"
#include "app/arguments/Input.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/files/Overwriting.h"
#include "core/network/Device.h"
#include "core/text/Words.h"
#include "models/OpenModel.h"
#include "models/recorded/RecordModel.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace softscope {

namespace {

struct RecordArguments {
  ModelArguments model;
  InputOptions input;
  std::string inputPath;
  std::string output;
};

int recordCommand(const RecordArguments& arguments) {
  const std::string& output = arguments.output;
  requireEnding(output, "a recording", {".npz", ".safetensors"});
  checkOutputs({output}, filesReadFor(arguments.model, {arguments.inputPath}));
  checkWritable(output);
  setComputeThreads(arguments.model.threads);
  const auto model = openModel(arguments.model.request(0, arguments.input.size));
  noteGuesses(model->summary(), guessedFor(arguments.inputPath));
  const std::string obstacle = model->summary().obstacleTo("forward pass to record");
  if (!obstacle.empty()) throw InspectionError(obstacle);
  Input input = readInput(arguments.inputPath, model->summary(), arguments.input);
  RecordedScene scene{std::move(input.tensor), {}, input.region};
  if (!arguments.inputPath.ends_with(".npy")) scene.picture = std::move(input.picture);
  const std::size_t layers = recordModel(*model, scene, output);
  sayWritten(output, ": " + countedText(std::int64_t(layers), "layer"));
  return 0;
}

}  // namespace

void addRecordCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<RecordArguments>();
  CLI::App* command = addListedCommand(program, "record");
  command
      ->add_option("INPUT", arguments->inputPath,
                   "A picture, or a float32 .npy [1, 3, H, W] that is normalised already")
      ->type_name("")
      ->required();
  addModels(*command, arguments->model, true);
  takeOneModel(*command);
  command->add_option("-o,--output", arguments->output, "Recording to write: .npz or .safetensors")
      ->type_name("FILE")
      ->required();
  addInputOptions(*command, arguments->input);
  command->footer(
      "The file holds the picture, too, and every page that needs no weights shows what it shows\n"
      "of the checkpoint: results can be shared without it. docs/recordings.md describes the "
      "file.\n"
      "\nExample:\n  softscope record -m soft_tiny.pth cat.jpg -o cat.safetensors\n"
      "  softscope -m cat.safetensors");
  command->callback(
      [&chosen, arguments] { chosen = [arguments] { return recordCommand(*arguments); }; });
}

}  // namespace softscope
