#pragma once

#include "core/Progress.h"
#include "core/train/TrainingHistory.h"
#include "core/train/TrainingRecipe.h"
#include "models/identify/ChosenSizes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// A training run as the command line requests it.
struct TrainingRequest {
  std::string architecture;
  ArchitectureSizes sizes;
  std::string dataSet;
  std::string output;  ///< a .safetensors to write; the state is kept beside it, as OUTPUT.state
  TrainingRecipe recipe;
  std::string initial;      ///< a checkpoint to start from, or empty
  std::string history;      ///< a .csv to write, or empty
  std::string commandLine;  ///< command that repeats the training, for the file's metadata
  std::string device = "cpu";
  bool resume = false;
  bool half = false;  ///< write the output in 16 bits
  /// Epochs between two checkpoints that are kept, in 16 bits, in keptEpochs(output); 0: none.
  std::int64_t keepEvery = 0;
};

/// Callbacks during training.
struct TrainingEvents {
  /// Called with notes that the user should see once: files that were skipped, weights that were
  /// reused.
  std::function<void(const std::string&)> noted;
  std::function<void(const EpochResult&)> finishedEpoch;
};

/// Returns the names of the architectures that can be trained.
std::vector<std::string> trainableNames();
/// Returns the default recipe for an architecture. Throws ModelError for an unknown name.
TrainingRecipe recommendedRecipe(const std::string& architecture);

/// Returns the folder of the checkpoints that a training run keeps: `run.epochs` beside
/// `run.safetensors`. Its files are named by their epochs, `epoch_05.safetensors`; epoch 0 is the
/// network before its training.
std::string keptEpochs(const std::string& output);

/// Trains a network. After each epoch, writes the averaged weights, with metadata that open them
/// without any option, the history, and the state. Throws DataSetError, ModelError and FileError;
/// when asked to stop, throws Cancelled after writing the state if any step was trained.
void trainModel(const TrainingRequest& request, const TrainingEvents& events,
                const Progress& progress = {});

}  // namespace softscope
