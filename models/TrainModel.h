#pragma once

#include "core/Progress.h"
#include "core/train/TrainingHistory.h"
#include "core/train/TrainingRecipe.h"
#include "models/identify/ChosenSizes.h"

#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// A training as the command line asks for it.
struct TrainingRequest {
  std::string architecture;
  ArchitectureSizes sizes;
  std::string dataSet;
  std::string output;  ///< .safetensors; the state is kept beside it, as OUTPUT.state
  TrainingRecipe recipe;
  std::string initial;      ///< a checkpoint to start from, or empty
  std::string history;      ///< a .csv to write, or empty
  std::string commandLine;  ///< what trains the same again, for the file's metadata
  std::string device = "cpu";
  bool resume = false;
  bool half = false;  ///< the output in 16 bits
};

/// What happens meanwhile.
struct TrainingEvents {
  /// Something the user should know once: files that were passed over, weights taken over.
  std::function<void(const std::string&)> noted;
  std::function<void(const EpochResult&)> finishedEpoch;
};

/// Names of the architectures that can be trained.
std::vector<std::string> trainableNames();
/// What a training of that architecture does by default. Throws ModelError for an unknown name.
TrainingRecipe recommendedRecipe(const std::string& architecture);

/// Trains, and after each epoch writes the averaged weights, with metadata that opens them without
/// any option, the history, and the state. Throws DataSetError, ModelError, FileError; Cancelled
/// when asked to stop, the state written if any step was trained.
void trainModel(const TrainingRequest& request, const TrainingEvents& events,
                const Progress& progress = {});

}  // namespace softscope
