#pragma once

#include "core/Progress.h"
#include "core/network/NetworkModule.h"
#include "core/train/BatchSource.h"
#include "core/train/DataSet.h"
#include "core/train/ExponentialMovingAverage.h"
#include "core/train/Optimizer.h"
#include "core/train/Schedule.h"
#include "core/train/TrainingHistory.h"
#include "core/train/TrainingRecipe.h"
#include "core/train/TrainingState.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace softscope {

/// The inputs of a training run. The networks have the same architecture and device; one is
/// trained, the other becomes the average of its weights.
struct TrainingSetup {
  NetworkModule& network;
  NetworkModule& average;
  const DataSet& training;    ///< pictures with their shorter side resized
  const DataSet& validation;  ///< prepared with asEvaluated()
  InputTransform transform;
  TrainingRecipe recipe;
  std::string architecture;  ///< includes its sizes; compared on resuming
  std::string statePath;
  bool half = false;  ///< measure the average in 16 bits
};

/// Trains a network from its current state to the last epoch.
class Training {
 public:
  /// Called after each epoch, before its state is saved, so that anything it writes belongs to that
  /// epoch. If it throws ModelError, as for weights that a file cannot hold, the state is that of
  /// the epoch's last step, and a resumed training calls it again.
  using Finished = std::function<void(const EpochResult& result, const std::string& history)>;

  explicit Training(const TrainingSetup& setup);

  /// Restores the state file. Throws what readTrainingState() throws.
  void resume();

  /// Trains to the last epoch and reports progress after each step. When asked to stop, saves its
  /// state and throws Cancelled.
  void run(const Finished& finished, const Progress& progress);

  /// Returns true once the last epoch is finished, so that run() has nothing left to do.
  bool isFinished() const { return position_.epoch >= setup_.recipe.epochs; }
  /// Measures the average of a finished training and calls `finished` for the last epoch again. The
  /// loss and the seconds of its result are 0, as a state has them in its history alone.
  void finishAgain(const Finished& finished);

 private:
  /// Trains the rest of an epoch.
  void trainEpoch(const Progress& progress);
  /// Takes one step and returns its loss. Throws TrainingError before changing anything if the loss
  /// or a gradient is not finite.
  double step(const Batch& batch);
  void requireFinite(double value, const std::string& what) const;
  void report(const Progress& progress) const;
  EpochResult measureEpoch(std::int64_t epoch) const;
  /// If weights are too large for a file of 16 bits, saves the state before it throws ModelError:
  /// no epoch is lost.
  void finishEpoch(const Finished& finished, const Progress& progress);
  void keepState();
  void keepStateIfPossible();
  /// Returns the properties of this training run, by name, that a saved state must share to be
  /// resumed: those of the recipe, the architecture, the classes and the number of pictures.
  std::map<std::string, std::string> description() const;
  std::string progressText(double secondsLeft) const;

  TrainingSetup setup_;
  BatchSource source_;
  Schedule schedule_;
  Optimizer optimizer_;
  ExponentialMovingAverage averaging_;
  TrainingPosition position_;
  double secondsPerStep_ = 0;
};

}  // namespace softscope
