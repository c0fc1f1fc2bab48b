#pragma once

#include "core/inspect/InputTransform.h"
#include "core/inspect/NetworkModule.h"
#include "core/train/TrainingRecipe.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// An architecture that Softscope trains from nothing. A family lists its own; Trainable.cpp lists
/// the families.
struct TrainableArchitecture {
  /// As on the command line and in a trained file's metadata: `soft_norm_nano`.
  std::string name;
  /// As in AttentionDescription: `soft++`.
  std::string mechanism;
  /// The network for a number of classes, its parameters not filled in yet.
  std::function<std::shared_ptr<NetworkModule>(int classes)> define;
  /// What a training does unless the user says otherwise; its size is that of the input.
  TrainingRecipe recipe;
  /// Mean, deviation and filter of the evaluation; sizes are the recipe's.
  InputTransform transform;
  /// What a file must say beside architecture and mechanism to be opened as this, e.g. `heads`.
  std::map<std::string, std::string> metadata;
  /// What initialise() does not do for this family, on its result; may be empty.
  std::function<void(NetworkModule&)> fill;
};

/// Every architecture that can be trained.
const std::vector<TrainableArchitecture>& trainableArchitectures();

/// The one of that name. Throws ModelError naming those there are.
const TrainableArchitecture& findTrainable(const std::string& name);

/// A network of the architecture, filled at random by the seed (Performer's random features are the
/// same for all), in training mode.
std::shared_ptr<NetworkModule> freshNetwork(const TrainableArchitecture& architecture, int classes,
                                            std::uint64_t seed);

}  // namespace softscope
