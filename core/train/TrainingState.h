#pragma once

#include "core/model/NetworkModule.h"
#include "core/train/Optimizer.h"

#include <cstdint>
#include <map>
#include <string>

namespace softscope {

/// How far a training has come. Random numbers depend only on the recipe's seed, the epoch and the
/// step, so these two are the whole state of the sampler and the generators.
struct TrainingPosition {
  std::int64_t epoch = 0;  ///< finished epochs
  std::int64_t step = 0;   ///< finished steps of the epoch under way
  double lossSum = 0;      ///< of those steps
  double seconds = 0;      ///< spent on those steps
  std::string history;     ///< rows of the log, a line per finished epoch
};

/// The tensors that a training changes.
struct TrainingTensors {
  NetworkModule& network;
  NetworkModule& average;
  Optimizer& optimizer;
};

/// Writes the side file that a training goes on from, whole or not at all. `description`, of
/// recipe, architecture and data, is kept to be compared.
void writeTrainingState(const std::string& path, const TrainingPosition& position,
                        const TrainingTensors& tensors,
                        const std::map<std::string, std::string>& description);

/// Takes up a state; `stepsPerEpoch` is that of the data set. Throws CheckpointError for a file
/// that is no state of this network, and TrainingError for one of another description, naming
/// what differs.
TrainingPosition readTrainingState(const std::string& path, const TrainingTensors& tensors,
                                   const std::map<std::string, std::string>& description,
                                   std::int64_t stepsPerEpoch);

}  // namespace softscope
