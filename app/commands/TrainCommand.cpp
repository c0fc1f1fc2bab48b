#include "app/arguments/CommandProgress.h"
#include "app/arguments/DataSetArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/NumberChecks.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/Error.h"
#include "core/machine/ProcessMemory.h"
#include "core/network/Device.h"
#include "core/text/Words.h"
#include "core/train/ClassFolders.h"
#include "models/TrainModel.h"
#include "widgets/settings/ComputeSettings.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace softscope {

namespace {

using RecipeChange = std::function<void(TrainingRecipe&)>;

struct TrainArguments {
  TrainingRequest request;
  int threads = 0;
  int size = 0;
  int resize = 0;
  /// Options that have no effect together with certain others.
  bool asksForMixing = false;
  bool asksForMixup = false;
  bool asksForCutmix = false;
  bool asksForWarmup = false;
  bool asksForSmallestCrop = false;
  bool asksForDrops = false;
  bool asksForLastRate = false;
  /// The command line's changes to the architecture's own recipe.
  std::vector<RecipeChange> changes;
};

std::string joinedWords(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Returns the command that repeats the training, independent of where files are. Options that only
/// concern a single run are left out.
std::string repeatableCommand(const CLI::App& command) {
  static const std::set<std::string> ofOneRun = {"--help", "--log", "--resume", "--keep-every"};
  static const std::set<std::string> files = {"DATASET", "--output", "--init"};
  std::string text = "softscope train";
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || ofOneRun.contains(name)) continue;
    const bool isFlag = option->get_items_expected() == 0;
    // All flags are off unless they are given.
    if (isFlag && !option->as<bool>()) continue;
    if (name.front() == '-') text += " " + name;
    if (isFlag) continue;
    const bool isList = option->get_delimiter() != '\0';
    const std::string value = isList ? listText(option->results(), ",") : option->results().back();
    text += " " + shellWord(files.contains(name) ? lastPart(value) : value);
  }
  return text;
}

void refuseContradictions(const TrainArguments& arguments, const TrainingRecipe& recipe) {
  if (recipe.resize < recipe.size) {
    throw UsageError("--resize must be at least --size, or there is nothing to crop");
  }
  if (arguments.asksForMixing && recipe.mixing > 0 && recipe.mixup == 0 && recipe.cutmix == 0) {
    throw UsageError(
        "--mixing needs a --mixup or --cutmix above 0, or there is nothing to mix with");
  }
  const bool asksToMix = (arguments.asksForMixup && recipe.mixup > 0) ||
                         (arguments.asksForCutmix && recipe.cutmix > 0);
  if (asksToMix && recipe.mixing == 0) {
    throw UsageError("--mixup and --cutmix need a --mixing above 0, or no batch is mixed");
  }
  if (arguments.asksForSmallestCrop && recipe.padding > 0) {
    throw UsageError("--smallest-crop is of crops that are resized; give --padding 0, too");
  }
  if (recipe.averageFromStart && recipe.average == 0) {
    throw UsageError("--ema-from-start needs an --ema above 0, or nothing is averaged");
  }
  const bool drops = recipe.schedule == LearningRateFall::Step;
  if (arguments.asksForDrops && !drops) {
    throw UsageError("--drops is of --schedule step; give both, or neither");
  }
  if (arguments.asksForLastRate && drops) {
    throw UsageError(
        "--last-learning-rate is the cosine's; --schedule step ends where --drops say");
  }
  if (!drops && recipe.lastLearningRate > recipe.learningRate) {
    throw UsageError("--last-learning-rate must be at most --learning-rate, " +
                     numberText(recipe.learningRate) + ", or the cosine rises");
  }
  if (!std::is_sorted(recipe.drops.begin(), recipe.drops.end())) {
    throw UsageError("--drops are shares of the training in their order, such as 0.5,0.75");
  }
  if (recipe.warmup >= static_cast<double>(recipe.epochs)) {
    throw UsageError("--warmup must be shorter than --epochs, or the learning rate never falls");
  }
}

/// Returns the recipe of the architecture with the user's changes. If only the size is given, the
/// evaluation keeps the same share of the picture; if only a few epochs are given, at most a fifth
/// of them is the warm-up; and if the learning rate is small, it does not rise to the recipe's
/// last.
TrainingRecipe chosenRecipe(const TrainArguments& arguments) {
  TrainingRecipe recipe = recommendedRecipe(arguments.request.architecture);
  for (const RecipeChange& change : arguments.changes) change(recipe);
  if (arguments.size > 0) {
    recipe.resize = recipe.resize * arguments.size / recipe.size;
    recipe.size = arguments.size;
  }
  if (arguments.resize > 0) recipe.resize = arguments.resize;
  if (!arguments.asksForWarmup) {
    recipe.warmup = std::min(recipe.warmup, static_cast<double>(recipe.epochs) / 5);
  }
  if (!arguments.asksForLastRate && recipe.schedule == LearningRateFall::Cosine) {
    recipe.lastLearningRate = std::min(recipe.lastLearningRate, recipe.learningRate);
  }
  refuseContradictions(arguments, recipe);
  return recipe;
}

std::string epochText(const EpochResult& result, std::int64_t epochs) {
  return "epoch " + std::to_string(result.epoch) + " of " + std::to_string(epochs) + ": loss " +
         fixedText(result.loss, 4) + ", validation " + fixedText(100 * result.accuracy, 2) +
         " % +- " + fixedText(100 * result.standardError, 2) + ", " + fixedText(result.seconds, 0) +
         " s";
}

int train(const TrainArguments& arguments) {
  requireEnding(arguments.request.output, "a checkpoint", {".safetensors"});
  reuseFreedMemory();
  setComputeThreads(arguments.threads);
  TrainingRequest request = arguments.request;
  request.recipe = chosenRecipe(arguments);
  ProgressLine line;
  Progress progress = stepsOn(line);
  const Interruption interruption(progress);
  TrainingEvents events;
  // They are about the training, which may take days, not about its result.
  events.noted = [&](const std::string& text) {
    line.clear();
    note(text);
  };
  events.finishedEpoch = [&](const EpochResult& result) {
    line.clear();
    std::cout << epochText(result, request.recipe.epochs) << std::endl;
  };
  try {
    trainModel(request, events, progress);
  } catch (const Cancelled&) {
    line.clear();
    const bool canGoOn = std::filesystem::exists(request.output + ".state");
    throw Error(canGoOn ? "stopped; the same command with --resume goes on from here"
                        : "stopped before anything was trained");
  }
  line.clear();
  sayWritten(request.output, ": trained");
  if (!request.history.empty()) sayWritten(request.history);
  if (request.keepEvery > 0) sayWritten(keptEpochs(request.output));
  return 0;
}

/// Adds an option that changes one entry of the recipe.
template <typename T>
CLI::Option* addChange(CLI::App& command, std::vector<RecipeChange>& changes,
                       const std::string& name, T TrainingRecipe::*entry,
                       const std::string& description) {
  return command
      .add_option_function<T>(
          name,
          [&changes, entry](const T& value) {
            changes.push_back([entry, value](TrainingRecipe& recipe) { recipe.*entry = value; });
          },
          description)
      ->type_name("X");
}

/// Adds a flag for an entry of the recipe; `=false` turns it off.
CLI::Option* addFlagChange(CLI::App& command, std::vector<RecipeChange>& changes,
                           const std::string& name, bool TrainingRecipe::*entry,
                           const std::string& description) {
  return command
      .add_flag_function(
          name,
          [&changes, entry](std::int64_t value) {
            changes.push_back(
                [entry, value](TrainingRecipe& recipe) { recipe.*entry = value > 0; });
          },
          description)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

/// Adds an option of comma-separated numbers, which does not consume a positional argument that
/// follows.
template <typename T>
CLI::Option* addNumbers(CLI::App& command, const std::string& name,
                        const std::function<void(const std::vector<T>&)>& take,
                        const std::string& description) {
  return command.add_option_function<std::vector<T>>(name, take, description)
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("N,N,...");
}

void addSchedule(CLI::App& command, std::vector<RecipeChange>& changes) {
  std::vector<std::string> names;
  for (const LearningRateFall fall : learningRateFalls) names.push_back(nameOf(fall));
  command
      .add_option_function<std::string>(
          "--schedule",
          [&changes](const std::string& name) {
            const auto* fall =
                std::find_if(learningRateFalls.begin(), learningRateFalls.end(),
                             [&](LearningRateFall each) { return nameOf(each) == name; });
            changes.push_back([fall](TrainingRecipe& recipe) { recipe.schedule = *fall; });
          },
          "How the learning rate falls after the warm-up: along a cosine, or in steps to a tenth")
      ->check(CLI::IsMember(names))
      ->type_name("NAME")
      ->group("Optimisation");
  addNumbers<double>(
      command, "--drops",
      [&changes](const std::vector<double>& shares) {
        changes.push_back([shares](TrainingRecipe& recipe) { recipe.drops = shares; });
      },
      "Shares of the training after which --schedule step divides the learning rate by ten; by "
      "default after 81 and 122 of 164 epochs, as Cho et al. train non-local networks")
      ->check(between(0.001, 0.999))
      ->type_name("X,X,...")
      ->group("Optimisation");
}

void addOptimisation(CLI::App& command, std::vector<RecipeChange>& changes) {
  const auto add = [&](const std::string& name, auto entry, const std::string& description) {
    return addChange(command, changes, name, entry, description)->group("Optimisation");
  };
  using Recipe = TrainingRecipe;
  add("--epochs", &Recipe::epochs,
      "Passes over the pictures; those that do not fill the last --batch are left out, other ones "
      "every time")
      ->check(between(1, 100000));
  add("--batch", &Recipe::batch, "Pictures of a step; all, if there are fewer")
      ->check(between(2, 65536));
  command
      .add_option_function<std::string>(
          "--optimizer",
          [&changes](const std::string& name) {
            changes.push_back([name](Recipe& recipe) {
              recipe.optimizer = name == "sgd" ? Recipe::Optimizer::Sgd : Recipe::Optimizer::AdamW;
            });
          },
          "adamw, or sgd with Nesterov's momentum")
      ->check(CLI::IsMember({"adamw", "sgd"}))
      ->type_name("NAME")
      ->group("Optimisation");
  add("--learning-rate", &Recipe::learningRate, "At its peak")->check(aboveZero());
  addSchedule(command, changes);
  add("--last-learning-rate", &Recipe::lastLearningRate, "At the end of the cosine")
      ->check(zeroOrMore());
  add("--warmup", &Recipe::warmup,
      "Epochs of rising learning rate; by default a fifth of them at most")
      ->check(zeroOrMore());
  add("--weight-decay", &Recipe::weightDecay, "Of matrices and filters; norms and biases have none")
      ->check(zeroOrMore());
  add("--clip", &Recipe::clip, "Largest norm of the gradients; 0: none")->check(zeroOrMore());
  add("--ema", &Recipe::average, "Decay of the averaged weights, which are written; 0: none")
      ->check(between(0.0, 0.999999));
  addFlagChange(command, changes, "--ema-from-start", &Recipe::averageFromStart,
                "Let the average weigh --init's weights too, which it otherwise forgets at once")
      ->needs("--init")
      ->group("Optimisation");
  add("--seed", &Recipe::seed,
      "Of everything random, but for Performer's features. The same tensors come out with the "
      "same --threads and device alone: sums are rounded in the order of the threads")
      ->check(between(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()));
}

void addRegularisation(CLI::App& command, std::vector<RecipeChange>& changes) {
  const auto add = [&](const std::string& name, auto entry, const std::string& description) {
    return addChange(command, changes, name, entry, description)->group("Regularisation");
  };
  using Recipe = TrainingRecipe;
  add("--label-smoothing", &Recipe::labelSmoothing, "Share of a target given to all classes")
      ->check(between(0.0, 0.99));
  add("--drop-path", &Recipe::dropPath, "Chance that the last residual branch is dropped")
      ->check(between(0.0, 0.99));
  add("--mixup", &Recipe::mixup, "Alpha of mixup; 0: none")->check(between(0.0, 100.0));
  add("--cutmix", &Recipe::cutmix, "Alpha of CutMix; 0: none")->check(between(0.0, 100.0));
  add("--mixing", &Recipe::mixing, "Share of the batches that are mixed")->check(between(0.0, 1.0));
  add("--smallest-crop", &Recipe::smallestCrop, "Smallest crop, as a share of the area")
      ->check(between(0.01, 1.0));
  add("--padding", &Recipe::padding, "Crop from the padded picture instead of resizing crops")
      ->check(between(0, 1024));
  add("--flip", &Recipe::flip, "Mirror half of the pictures: true or false");
  add("--jitter", &Recipe::jitter, "Change of brightness, contrast and saturation")
      ->check(between(0.0, 1.0));
}

void addSizes(CLI::App& command, ArchitectureSizes& sizes) {
  constexpr int most = 1 << 14;
  addNumbers<int>(
      command, "--width", [&sizes](const std::vector<int>& widths) { sizes.widths = widths; },
      "Channels of each stage, or of all of a network of one width; hidden layers follow")
      ->check(between(1, most))
      ->group("Architecture");
  addNumbers<int>(
      command, "--heads", [&sizes](const std::vector<int>& heads) { sizes.heads = heads; },
      "Heads of each stage, or one number where all layers have the same")
      ->check(between(1, most))
      ->group("Architecture");
}

void addFiles(CLI::App& command, TrainArguments& arguments) {
  TrainingRequest& request = arguments.request;
  command
      .add_option("ARCH", request.architecture, "Architecture: " + joinedWords(trainableNames()))
      ->type_name("")
      ->required();
  addDataSetFolder(command, request.dataSet);
  command.add_option("-o,--output", request.output, "File to write, .safetensors")
      ->type_name("FILE")
      ->required();
  command.add_option("--init", request.initial, "Checkpoint to start from: fine-tuning")
      ->type_name("CKPT");
  command.add_option("--log", request.history, "Losses and accuracy of every epoch, as CSV")
      ->type_name("FILE.csv");
  command.add_flag("--resume", request.resume,
                   "Go on from FILE.state, to the same last bit with the same --threads");
  command.add_flag("--half", request.half, "Store floating-point values in 16 bits");
  command
      .add_option(
          "--keep-every", request.keepEvery,
          "Keep the weights before the training and after every N epochs, in 16 bits: a series of "
          "checkpoints, in the folder run.epochs beside run.safetensors")
      ->type_name("N")
      ->check(between(1, 100000));
}

}  // namespace

void addTrainCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = addListedCommand(program, "train");
  addFiles(*command, *arguments);
  addSizes(*command, arguments->request.sizes);
  command->add_option("--size", arguments->size, "Side of the network's input")
      ->check(between(8, 4096))
      ->type_name("N")
      ->group("Pictures");
  command
      ->add_option("--resize", arguments->resize,
                   "Shorter side of the pictures that crops are taken from")
      ->check(between(8, 8192))
      ->type_name("N")
      ->group("Pictures");
  addOptimisation(*command, arguments->changes);
  addRegularisation(*command, arguments->changes);
  command->add_option("--device", arguments->request.device, deviceSetting.text.help)
      ->check(checkOf(deviceSetting.text.help, isDeviceName))
      ->type_name("D")
      ->capture_default_str()
      ->group("Compute");
  command->add_option("--threads", arguments->threads, "CPU threads (default: all cores)")
      ->type_name("N")
      ->check(between(1, 1024))
      ->group("Compute");
  addFlagChange(*command, arguments->changes, "--bfloat16", &TrainingRecipe::bfloat16,
                "On CUDA, products in bfloat16")
      ->group("Compute");
  command->footer(
      "FILE.state, beside the output, keeps what --resume goes on from; Ctrl+C writes it too.\n\n"
      "Example:\n  softscope train soft_norm_nano everyday10 -o soft_norm_nano.safetensors \\\n"
      "      --epochs 40 --log soft_norm_nano.csv");
  command->callback([&chosen, arguments, command] {
    arguments->request.commandLine = repeatableCommand(*command);
    arguments->asksForMixing = command->count("--mixing") > 0;
    arguments->asksForMixup = command->count("--mixup") > 0;
    arguments->asksForCutmix = command->count("--cutmix") > 0;
    arguments->asksForWarmup = command->count("--warmup") > 0;
    arguments->asksForSmallestCrop = command->count("--smallest-crop") > 0;
    arguments->asksForDrops = command->count("--drops") > 0;
    arguments->asksForLastRate = command->count("--last-learning-rate") > 0;
    chosen = [arguments] { return train(*arguments); };
  });
}

}  // namespace softscope
