#include "app/arguments/CommandProgress.h"
#include "app/arguments/DataSetArguments.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/ModelArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/NumberChecks.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/SettingArguments.h"
#include "app/arguments/SurveyedModels.h"
#include "app/arguments/TypedCommand.h"
#include "app/arguments/UsageError.h"
#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "core/files/AtomicFile.h"
#include "core/files/Overwriting.h"
#include "core/machine/ProcessMemory.h"
#include "core/network/Device.h"
#include "core/survey/SurveyWriter.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "core/train/TrainingHistory.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct SurveyArguments {
  ModelArguments model;
  /// Its split is empty if the command line does not give one.
  DataSetArguments data;
  std::string output;
  std::vector<std::string> measures;
  std::vector<std::string> layers{"all"};
  /// Only the number of random orders is used.
  DeletionSettings deletion;
  bool asksForRandomOrders = false;
  std::int64_t limit = 0;
  std::string shard = "1/1";
  int workers = 0;
  bool lists = false;
  bool printsProgress = false;
};

void listMeasures() {
  for (const Measure& measure : allMeasures()) {
    std::cout << measure.name << '\n'
              << "    " << measure.title << (measure.unit.empty() ? "" : ", " + measure.unit)
              << "; of every " << measure.scope()
              << (measure.isCheap() ? "" : "; takes further passes, by --measure alone")
              << (measure.group.empty() ? "" : ", as part of " + measure.group) << '\n'
              << "    " << measure.source << '\n';
  }
}

Shard chosenShard(const std::string& text) {
  if (text == "auto") {
    const auto found = shardOfEnvironment([](const char* name) { return std::getenv(name); });
    if (found) return *found;
    throw UsageError(
        "--shard auto finds neither a Slurm array or step nor ranks of mpirun; give --shard I/N");
  }
  const auto shard = parseShard(text);
  if (!shard) throw UsageError("--shard is I/N, from 1/N to N/N, or auto, not \"" + text + "\"");
  return *shard;
}

/// Replaces `{shard}` in a file's name by `2-of-4`.
std::string outputOf(const SurveyArguments& arguments, const Shard& shard) {
  std::string path = arguments.output;
  const std::string place = "{shard}";
  const std::string name = std::to_string(shard.index) + "-of-" + std::to_string(shard.count);
  for (std::size_t at = path.find(place); at != std::string::npos; at = path.find(place)) {
    path.replace(at, place.size(), name);
  }
  if (path.ends_with(".survey")) return path;
  throw UsageError("-o is a file that ends in .survey, not \"" + path + "\"");
}

void requireFiles(const SurveyArguments& arguments) {
  if (arguments.model.checkpoints.empty()) throw UsageError("-m is missing: which model?");
  if (arguments.data.folder.empty()) throw UsageError("FOLDER is missing: of which pictures?");
  if (arguments.output.empty()) throw UsageError("-o FILE.survey is missing");
}

/// Throws UsageError for names that the survey's recipe cannot hold, because they are not UTF-8.
void requireUtf8(const ModelArguments& models) {
  for (const std::string& name : surveyedNames(models)) {
    if (isUtf8(name)) continue;
    throw UsageError("the name of the model " + quotedText(name) +
                     " is not UTF-8, and a survey holds no other; give it one with --name");
  }
  for (const std::string& given : models.classNames) {
    // An empty one says nothing of its model.
    const std::string path = given.empty() ? given : std::filesystem::absolute(given).string();
    if (isUtf8(path)) continue;
    throw UsageError(
        "the path " + quotedText(path) +
        " of --class-names is not UTF-8, and a survey holds no other; rename the file or its "
        "folder");
  }
}

bool measuresDeletion(const std::vector<Measure>& measures) {
  return std::ranges::any_of(measures, usesRandomOrders);
}

SurveyPlan planOf(const PictureMeasurement& measurement, const PictureList& pictures,
                  const Shard& shard, int randomOrders) {
  SurveyPlan plan{.program = "softscope " SOFTSCOPE_VERSION,
                  .command = typedCommand(),
                  .folder = pictures.folder,
                  .pictures = std::ssize(pictures.entries),
                  .listing = pictures.checksum,
                  .shard = shard,
                  .models = {},
                  .classes = pictures.classes,
                  .measures = {}};
  for (const SurveyedModel& model : measurement.models()) {
    plan.models.push_back(planOf(model, measurement.reading()));
  }
  for (const Measure& measure : measurement.measures()) {
    plan.measures.push_back({.name = measure.name,
                             .scope = measure.scope(),
                             .title = measure.title,
                             .unit = measure.unit,
                             .source = measure.source});
  }
  if (measuresDeletion(measurement.measures())) plan.randomOrders = randomOrders;
  plan.firstVersionsListing = [&pictures] { return pictures.checksumWithSizes(); };
  return plan;
}

std::vector<std::int64_t> whatIsLeft(const SurveyPlan& plan, const SurveyWriter& writer) {
  std::vector<std::int64_t> left;
  for (std::int64_t picture = 0; picture < plan.pictures; ++picture) {
    if (plan.shard.has(picture) && !writer.done().contains(picture)) left.push_back(picture);
  }
  return left;
}

/// Reports the cost of measures that run the models again.
void notePasses(const PictureMeasurement& measurement, std::size_t pictures, int workers,
                ProgressLine& line) {
  const std::int64_t passes = measurement.furtherPasses();
  if (passes == 0 || pictures == 0) return;
  setComputeThreads(1);
  const auto models = static_cast<double>(measurement.models().size());
  const double seconds = static_cast<double>(passes) * measurement.secondsOfPass() / models;
  line.clear();
  // Not with noteOnResult(): whoever waits decides by it.
  note(std::to_string(passes) + " further forward passes for each picture: about " +
       durationText(seconds * static_cast<double>(pictures) / workers) + " for " +
       countedText(pictures, "picture"));
}

void printOutcome(const std::string& path, const SurveyWriter& writer, const SurveyPace& pace) {
  std::cout << printableName(path) << ": " << countedText(std::ssize(writer.done()), "picture");
  if (writer.unreadable() > 0) std::cout << ", " << writer.unreadable() << " of them unreadable";
  if (pace.done() > 0) {
    std::cout << "; " << pace.done() << " now, " << std::fixed << std::setprecision(1)
              << pace.perSecond() << " a second, at most " << (highWaterBytes() >> 20) << " MB";
  }
  std::cout << '\n';
}

PictureList picturesOf(const SurveyArguments& arguments, ProgressLine& line) {
  const std::string& split = arguments.data.split;
  const std::int64_t limit = arguments.limit;
  PictureList pictures =
      listPictures(arguments.data.folder, split.empty() ? std::nullopt : std::optional(split),
                   limit > 0 ? std::optional(limit) : std::nullopt);
  if (pictures.passedOver > 0) {
    line.note("passed over " + (pictures.passedOver == 1
                                    ? "a file that is not named like a picture"
                                    : std::to_string(pictures.passedOver) +
                                          " files that are not named like pictures"));
  }
  if (!pictures.brokenLinks.empty()) {
    line.note(
        "passed over " + countedText(std::ssize(pictures.brokenLinks), "link") +
        " that cannot be followed, the first: " + printableName(pictures.brokenLinks.front()));
  }
  return pictures;
}

PictureMeasurement measurementOf(const SurveyArguments& arguments, const PictureList& pictures,
                                 ProgressLine& line, const Progress& progress) {
  std::vector<Measure> measures = asUsage([&] {
    return chosenMeasures(arguments.measures, {.randomOrders = arguments.deletion.random});
  });
  if (arguments.asksForRandomOrders && !measuresDeletion(measures)) {
    throw UsageError(std::string(randomOrdersSetting.text.flag) + " is of the measure " +
                     deletionGroup + ", which is not asked for; add --measure " + deletionGroup);
  }
  const auto transform = [&](const Model& model) { return chosenTransform(model, arguments.data); };
  return {openSurveyedModels(arguments.model, arguments.layers, transform, arguments.data.size,
                             pictures, line, progress),
          std::move(measures), arguments.data.reading};
}

/// Waits for programs that read the file meanwhile, until the survey is to stop. Says so once.
void waitForReaders(SurveyWriter& writer, const std::string& path, ProgressLine& line,
                    const Progress& progress) {
  writer.waitWhileLocked([&line, &progress, path, isSaid = false]() mutable {
    progress.throwIfCancelled();
    if (std::exchange(isSaid, true)) return;
    line.clear();
    // Not with noteOnResult(): whoever waits can end the other program.
    note(path + " is in use by another program; the survey goes on once that lets go of it");
  });
}

/// Throws SurveyError if no picture of the shard could be read: such a survey has no numbers.
void requireReadable(const std::string& path, const SurveyWriter& writer,
                     const std::vector<std::string>& unreadable) {
  if (unreadable.empty() || writer.unreadable() < std::ssize(writer.done())) return;
  throw SurveyError(path, "none of its " + countedText(writer.unreadable(), "picture") +
                              " can be read, the first: " + unreadable.front() +
                              "; the same command tries them again");
}

/// The outcome of measuring the pictures that were not yet in a file.
struct FilledSurvey {
  SurveyPace pace;
  /// The problems with files that cannot be read as pictures.
  std::vector<std::string> unreadable;
};

/// Measures the pictures that are not yet in the file.
FilledSurvey fill(SurveyWriter& writer, const PictureMeasurement& measurement,
                  const PictureList& pictures, const std::vector<std::int64_t>& left, int workers,
                  ProgressLine& line, const Progress& progress) {
  FilledSurvey filled{SurveyPace(left.size()), {}};
  NotedPictures noted;
  const auto take = [&](std::int64_t picture, const MeasuredPicture& measured) {
    const auto& entry = pictures.entries[static_cast<std::size_t>(picture)];
    if (measured.unreadable.empty()) {
      writer.add(picture, entry, measured.values, measured.file);
    } else {
      writer.addUnreadable(picture, entry, measured.unreadable);
      filled.unreadable.push_back(pictures.pathOf(entry) + ": " + measured.unreadable);
    }
    noted.add(entry.path, measured.note);
    filled.pace.addPicture();
    line.show(filled.pace.text());
  };
  measurePictures(measurement, pictures, left, workers, take, progress);
  line.clear();
  noteUnreadable(filled.unreadable, line);
  noteSources(noted, line);
  return filled;
}

int survey(SurveyArguments arguments) {
  if (arguments.lists) {
    listMeasures();
    return 0;
  }
  arguments.model.expandWildcards();
  requireFiles(arguments);
  requireUtf8(arguments.model);
  checkPreparation(arguments.data);
  const Shard shard = chosenShard(arguments.shard);
  const std::string output = outputOf(arguments, shard);
  checkOutputs({output}, filesReadFor(arguments.model, {arguments.data.folder}));
  checkWritable(output);
  ProgressLine line;
  if (arguments.printsProgress) line.printLines();
  Progress progress;
  const Interruption interruption(progress);
  const PictureList pictures = picturesOf(arguments, line);
  const PictureMeasurement measurement = measurementOf(arguments, pictures, line, progress);
  const SurveyPlan plan = planOf(measurement, pictures, shard, arguments.deletion.random);
  SurveyWriter writer(output, plan, progress);
  waitForReaders(writer, output, line, progress);
  const std::vector<std::int64_t> left = whatIsLeft(plan, writer);
  const int workers =
      workersFor(arguments.workers > 0 ? arguments.workers : arguments.model.threads);
  notePasses(measurement, left.size(), workers, line);
  try {
    const FilledSurvey filled = fill(writer, measurement, pictures, left, workers, line, progress);
    line.clear();
    printOutcome(output, writer, filled.pace);
    requireReadable(output, writer, filled.unreadable);
  } catch (const Cancelled&) {
    line.clear();
    throw Error(output + ": stopped after " + countedText(std::ssize(writer.done()), "picture") +
                "; the same command goes on from there");
  }
  return 0;
}

void addSurveyOptions(CLI::App& command, SurveyArguments& arguments) {
  command
      .add_option("FOLDER", arguments.data.folder,
                  "Folder of pictures, with or without class folders; data set with val/; or text "
                  "file of paths")
      ->type_name("");
  command
      .add_option("-o,--output", arguments.output,
                  "Survey to create or to continue; {shard} in its name becomes 2-of-4")
      ->type_name("FILE.survey");
  command
      .add_option("--measure", arguments.measures,
                  "What to measure: names of --list, or all (default: all that need no further "
                  "forward passes)")
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("NAME,...");
  addSetting(command, randomOrdersSetting, arguments.deletion)
      ->each([&arguments](const std::string&) { arguments.asksForRandomOrders = true; });
  command.add_flag("--list", arguments.lists, "Say what can be measured, and do nothing else");
  command.add_flag("--progress", arguments.printsProgress,
                   "Print how far it has come as lines, also where stderr is no terminal");
  addRepeatable(command, "--layer", arguments.layers, "Layers by name or pattern (default: all)")
      ->type_name("LAYER");
  command
      .add_option("--limit", arguments.limit, "Number of pictures, spread evenly over the folder")
      ->check(aboveZero())
      ->type_name("N");
  command
      .add_option("--shard", arguments.shard,
                  "Every N-th picture from the I-th; auto: as Slurm or mpirun number this process")
      ->type_name("I/N|auto");
  command
      .add_option("--workers", arguments.workers,
                  "Pictures at a time, each on one core (default: all cores)")
      ->check(between(1, 1024))
      ->type_name("N")
      ->group("Compute");
}

}  // namespace

void addSurveyCommand(CLI::App& program, Command& chosen) {
  auto arguments = std::make_shared<SurveyArguments>();
  CLI::App* command = addListedCommand(program, "survey");
  arguments->data.split.clear();
  addSurveyOptions(*command, *arguments);
  addNames(*command, arguments->model, "Model");
  addPreparation(*command, arguments->data);
  addModels(*command, arguments->model, false);
  command->footer(
      "Stopped or killed, the same command goes on where it was. Shards that ran elsewhere are\n"
      "joined with softscope merge; softscope table writes the numbers as CSV. docs/survey.md\n"
      "describes the file, an SQLite database, docs/cluster.md many machines.\n\n"
      "Example:\n  softscope survey -m soft_tiny.pth imagenet/val -o soft_tiny.survey");
  command->callback([&chosen, arguments] { chosen = [arguments] { return survey(*arguments); }; });
}

}  // namespace softscope
