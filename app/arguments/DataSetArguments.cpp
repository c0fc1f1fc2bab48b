#include "app/arguments/DataSetArguments.h"

#include "app/arguments/Input.h"
#include "app/arguments/ProgressLine.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

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
      ->check(CLI::Range(0.01, 1.0))
      ->type_name("FRACTION")
      ->group("Picture");
  addSampleOptions(command, arguments.reading);
}

InputTransform chosenTransform(const Model& model, const DataSetArguments& arguments) {
  InputTransform transform = withInputSize(model.summary().transform, chosenSize(arguments.size));
  if (arguments.crop > 0) transform.cropFraction = arguments.crop;
  return transform;
}

void noteSources(const NotedPictures& noted, ProgressLine& line) {
  const std::string text = noted.text();
  if (!text.empty()) line.note(text);
}

void noteUnreadable(const std::vector<std::string>& unreadable, ProgressLine& line) {
  if (unreadable.empty()) return;
  line.note("passed over " + countedText(std::ssize(unreadable), "file") +
            " that cannot be read as pictures, the first: " + unreadable.front());
}

}  // namespace softscope
