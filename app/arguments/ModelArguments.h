#pragma once

#include "core/model/ModelRequest.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

/// What the command line says about models: `-m` and what belongs to it. The k-th value of
/// `--attention`, `--arch`, `--heads`, `--activation` and `--weights` belongs to the k-th model, a
/// single one to all; `auto` (of `--heads`, 0) says nothing.
struct ModelArguments {
  std::vector<std::string> checkpoints;
  std::vector<std::string> attention;
  std::vector<std::string> architecture;
  std::vector<int> heads;
  std::vector<std::string> activation;
  std::vector<std::string> weights;
  std::string device = "cpu";
  int threads = 0;
  bool ignoresUnexpected = false;

  /// What the model at `index` of checkpoints was asked for. Throws UsageError where an option was
  /// given neither once nor once per model.
  ModelRequest request(std::size_t index) const;
};

/// Adds `--attention --arch --heads --activation --weights --device --threads`.
void addModelDescription(CLI::App& command, ModelArguments& arguments);

/// Adds `-m` and `--ignore-unexpected`, too.
void addModels(CLI::App& command, ModelArguments& arguments, bool required);

/// Adds `--ignore-unexpected` alone.
void addIgnoreUnexpected(CLI::App& command, bool& ignoresUnexpected);

/// A command that addModels() was called for takes one model, and refuses several.
void takeOneModel(CLI::App& command);

}  // namespace softscope
