#pragma once

#include "core/image/NotedPictures.h"
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

/// What the command line says about a data set that a model is run on, picture by picture.
struct DataSetArguments {
  std::string folder;
  std::string split = "val";
  std::string size;
  double crop = 0;
  PictureReading reading = asPublished;
};

/// Adds `DATASET`, the folder.
void addDataSetFolder(CLI::App& command, std::string& folder);

/// Adds `--split --size --crop --levels --page`.
void addPreparation(CLI::App& command, DataSetArguments& arguments);

/// Adds `DATASET` and these.
void addDataSet(CLI::App& command, DataSetArguments& arguments);

/// The model's own transform where the command line does not say otherwise.
InputTransform chosenTransform(const Model& model, const DataSetArguments& arguments);

/// Says on stderr which pictures are not fed as they are stored, if any are.
void noteSources(const NotedPictures& noted, ProgressLine& line);

/// Says on stderr how many files were passed over, if any were.
void noteUnreadable(const std::vector<std::string>& unreadable, ProgressLine& line);

}  // namespace softscope
