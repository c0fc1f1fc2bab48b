#pragma once

#include "core/image/PictureReading.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

class ProgressLine;

/// Options of the command line for a data set that a model runs on, picture by picture.
struct DataSetArguments {
  std::string folder;
  std::string split = "val";
  std::string size;
  double crop = 0;
  PictureReading reading = asPublished;
};

/// Adds `DATASET`, the folder.
void addDataSetFolder(CLI::App& command, std::string& folder);

/// Adds to a command the options that say which pictures of a data set are used and how they are
/// prepared: `--split`, `--size`, `--crop`, `--levels` and `--page`.
void addPreparation(CLI::App& command, DataSetArguments& arguments);

/// Adds `DATASET` and the options of addPreparation().
void addDataSet(CLI::App& command, DataSetArguments& arguments);

/// Throws UsageError if the command line asks for a crop and for whole pictures.
void checkPreparation(const DataSetArguments& arguments);

/// Returns the model's own transform, changed by what the command line gives. Notes a crop that is
/// passed over, because the model sees whole pictures.
InputTransform chosenTransform(const Model& model, const DataSetArguments& arguments);

/// Reports on stderr which pictures are not fed as they are stored, if there are any.
void noteSources(const NotedPictures& noted, ProgressLine& line);

/// Reports on stderr if matchClasses() took the folders of `classes`, of which there is at least
/// one, for the model's by their order alone.
void noteOrder(const std::vector<std::string>& classes, const ModelSummary& summary,
               ProgressLine& line);

/// Reports on stderr how many files were skipped, if any were.
void noteUnreadable(const std::vector<std::string>& unreadable, ProgressLine& line);

}  // namespace softscope
