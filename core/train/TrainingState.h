#pragma once

#include "core/network/NetworkModule.h"
#include "core/train/Optimizer.h"

#include <cstdint>
#include <map>
#include <string>

namespace softscope {

/// The progress of a training run. Random numbers depend only on the recipe's seed, the epoch and
/// the step, so these two are the whole state of the sampler and the generators.
struct TrainingPosition {
  std::int64_t epoch = 0;  ///< number of finished epochs
  std::int64_t step = 0;   ///< number of finished steps in the current epoch
  double lossSum = 0;      ///< sum of the losses of those steps
  double seconds = 0;      ///< time spent on those steps
  std::string history;     ///< rows of the log, a line per finished epoch
};

/// The tensors that training changes.
struct TrainingTensors {
  NetworkModule& network;
  NetworkModule& average;
  Optimizer& optimizer;
};

/// Writes the state file that training resumes from, completely or not at all. `description` of
/// recipe, architecture and data is stored to be compared on resuming.
void writeTrainingState(const std::string& path, const TrainingPosition& position,
                        const TrainingTensors& tensors,
                        const std::map<std::string, std::string>& description);

/// Reads a state into `tensors`; `stepsPerEpoch` is that of the data set. Throws CheckpointError if
/// the file is not a state of this network, and TrainingError that names the difference if its
/// description differs.
TrainingPosition readTrainingState(const std::string& path, const TrainingTensors& tensors,
                                   const std::map<std::string, std::string>& description,
                                   std::int64_t stepsPerEpoch);

}  // namespace softscope
