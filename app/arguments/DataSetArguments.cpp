#include "app/arguments/DataSetArguments.h"

#include "app/arguments/CommandProgress.h"
#include "app/arguments/Input.h"
#include "app/arguments/Note.h"
#include "app/arguments/NumberChecks.h"
#include "app/arguments/UsageError.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace softscope {

void addDataSetFolder(CLI::App& command, std::string& folder) {
  command
      .add_option("DATASET", folder,
                  "Folder of train/ and val/, each with a folder of pictures per class")
      ->type_name("")
      ->required();
}

void addDataSet(CLI::App& command, DataSetArguments& arguments) {
  addDataSetFolder(command, arguments.folder);
  addPreparation(command, arguments);
}

void addPreparation(CLI::App& command, DataSetArguments& arguments) {
  command
      .add_option("--split", arguments.split,
                  "Folder of a data set whose pictures are taken (default: val)")
      ->type_name("NAME");
  command.add_option("--size", arguments.size, "As for dump; without it, the model's own")
      ->type_name("SIZE")
      ->group("Picture");
  command
      .add_option("--crop", arguments.crop,
                  "Side of the crop over the shorter side of the resized picture, e.g. 0.875")
      ->check(between(0.01, 1.0))
      ->type_name("FRACTION")
      ->group("Picture");
  addSampleOptions(command, arguments.reading);
}

void checkPreparation(const DataSetArguments& arguments) {
  const InputSize size = chosenSize(arguments.size);
  const bool isWhole = size.kind == InputSize::Kind::Whole || size.kind == InputSize::Kind::Full;
  if (arguments.crop <= 0 || !isWhole) return;
  throw UsageError("--crop says how much of a picture is kept, and --size " + arguments.size +
                   " feeds whole ones; leave --crop out");
}

InputTransform chosenTransform(const Model& model, const DataSetArguments& arguments) {
  InputTransform transform = withInputSize(model.summary().transform, chosenSize(arguments.size));
  if (arguments.crop <= 0) return transform;
  if (!transform.crops()) {
    noteOnResult(model.summary().path +
                 ": --crop is passed over, as the model sees whole pictures");
    return transform;
  }
  transform.cropFraction = arguments.crop;
  return transform;
}

void noteSources(const NotedPictures& noted, ProgressLine& line) {
  const std::string text = noted.text();
  if (!text.empty()) line.note(text);
}

void noteOrder(const std::vector<std::string>& classes, const ModelSummary& summary,
               ProgressLine& line) {
  const std::vector<std::string>& names = summary.classNames;
  if (names.empty() || std::ranges::find(names, classes.front()) != names.end()) return;
  line.note(summary.path +
            " has other names for the classes, so they are taken in alphabetical order: " +
            classes.front() + " is its " + names.front());
}

void noteUnreadable(const std::vector<std::string>& unreadable, ProgressLine& line) {
  if (unreadable.empty()) return;
  line.note("passed over " + countedText(std::ssize(unreadable), "file") +
            " that cannot be read as pictures, the first: " + unreadable.front());
}

}  // namespace softscope
