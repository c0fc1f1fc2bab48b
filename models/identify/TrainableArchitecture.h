#pragma once

#include "core/model/InputTransform.h"
#include "core/model/NetworkModule.h"
#include "core/train/TrainingRecipe.h"
#include "models/identify/ChosenSizes.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace softscope {

/// An architecture that Softscope trains from nothing. Each family lists its own.
struct TrainableArchitecture {
  /// As on the command line and in a trained file's metadata: `soft_norm_nano`.
  std::string name;
  /// As in AttentionDescription: `soft++`; `none` for a network without attention.
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
  /// The same architecture with other sizes. Throws ModelError for sizes that it cannot have.
  std::function<TrainableArchitecture(const ArchitectureSizes&)> resized;
};

}  // namespace softscope
