#pragma once

#include "core/model/InputTransform.h"
#include "core/network/NetworkModule.h"
#include "core/train/TrainingRecipe.h"
#include "models/identify/ChosenSizes.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace softscope {

/// An architecture that Softscope trains from scratch. Each family lists its own.
struct TrainableArchitecture {
  /// The architecture's name on the command line and in a trained file's metadata:
  /// `soft_norm_nano`.
  std::string name;
  /// Mechanism, as in AttentionDescription: `soft++`; `none` for a network without attention.
  std::string mechanism;
  /// Creates the network for a number of classes; its parameters are not filled in yet.
  std::function<std::shared_ptr<NetworkModule>(int classes)> define;
  /// The default recipe; its size is that of the network's input.
  TrainingRecipe recipe;
  /// Mean, deviation and filter for evaluation; sizes come from the recipe.
  InputTransform transform;
  /// Metadata that a file needs besides architecture and mechanism to be opened as this, e.g.
  /// `heads`.
  std::map<std::string, std::string> metadata;
  /// Completes initialise() for this family, and is called after it; may be empty.
  std::function<void(NetworkModule&)> fill;
  /// Returns the same architecture with other sizes. Throws ModelError for sizes that it cannot
  /// have.
  std::function<TrainableArchitecture(const ArchitectureSizes&)> resized;
};

}  // namespace softscope
