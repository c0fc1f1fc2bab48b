#pragma once

#include "core/checkpoint/StateDict.h"
#include "core/inspect/ModelSummary.h"
#include "core/inspect/NetworkModule.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace softscope {

/// What is known beside the weights when a network is defined.
struct ModelHints {
  std::optional<std::string> architecture;  ///< `--arch`
  std::optional<std::string> attention;     ///< `--attention`
  std::optional<int> heads;                 ///< `--heads`
  std::optional<std::string> activation;    ///< `--activation`
  std::string fileName;
  std::map<std::string, std::string> metadata;
};

/// A network fit to a state dict's names and shapes, its parameters not filled in yet.
struct DefinedModel {
  /// Everything except weights, parameters, missing and unexpected names.
  ModelSummary summary;
  std::shared_ptr<NetworkModule> network;
};

/// One architecture of the papers. Each file in models/ makes one; Registry.cpp lists them.
struct Family {
  /// As in `inspect --json`.
  std::string name;
  /// Whether the names in a state dict are this family's, even if some are missing.
  std::function<bool(const StateDict&)> recognises;
  /// Infers the configuration from names and shapes. Throws ModelError where too little is there.
  std::function<DefinedModel(const StateDict&, const ModelHints&)> define;
};

}  // namespace softscope
