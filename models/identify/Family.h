#pragma once

#include "core/checkpoint/StateDict.h"
#include "core/model/ModelSummary.h"
#include "core/model/NetworkModule.h"
#include "models/identify/ConfigurationFile.h"
#include "models/identify/TrainableArchitecture.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What is known beside the weights when a network is defined.
struct ModelHints {
  std::optional<std::string> architecture;  ///< `--arch`
  std::optional<std::string> attention;     ///< `--attention`
  std::optional<int> heads;                 ///< `--heads`
  std::optional<std::string> activation;    ///< `--activation`
  std::string fileName;
  std::map<std::string, std::string> metadata;
  ConfigurationFile configuration;  ///< the config.json beside the file
  LandmarkChoice landmarks = {};    ///< `--landmarks` and what belongs to it
};

/// A network fit to a state dict's names and shapes, its parameters not filled in yet.
struct DefinedModel {
  /// Everything except weights, parameters, missing and unexpected names.
  ModelSummary summary;
  std::shared_ptr<NetworkModule> network;
  /// More patterns like the family's `harmless`, for this file.
  std::vector<std::string> harmless = {};
};

/// One architecture of the papers. Each has a folder in models/; Registry.cpp lists them.
struct Family {
  /// As in `inspect --json`.
  std::string name;
  /// Whether the names in a state dict are this family's, even if some are missing.
  std::function<bool(const StateDict&)> recognises;
  /// Infers the configuration from names and shapes. Throws ModelError where too little is there.
  std::function<DefinedModel(const StateDict&, const ModelHints&)> define;
  /// Its architectures that can be trained from nothing; empty where there are none.
  std::function<std::vector<TrainableArchitecture>()> trainable;
  /// Patterns (as in matchesPattern()) of what its files carry and its networks do not compute
  /// with, such as the decoder of a pretraining. A file with any other parameter that its network
  /// does not have is of another network.
  std::vector<std::string> harmless = {};
};

}  // namespace softscope
