#pragma once

#include "core/model/ModelRequest.h"
#include "widgets/settings/ComputeSettings.h"

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

/// What the command line says about models, `-m` and what belongs to it, and about what they run
/// on. The k-th value of `--attention`, `--arch`, `--heads`, `--landmarks`, `--weights` and of
/// settingOptions() belongs to the k-th model, a single one to all; `auto` (of `--heads` and
/// `--landmark-count`, 0) says nothing. The k-th `--name` belongs to the k-th model and to no
/// other.
struct ModelArguments : ComputeSettings {
  std::vector<std::string> checkpoints;
  /// What models are called, of commands that name them; see modelNames().
  std::vector<std::string> names;
  std::vector<std::string> attention;
  std::vector<std::string> architecture;
  /// `4`, or `1,3,4` of each stage.
  std::vector<std::string> heads;
  std::vector<std::string> landmarks;
  std::vector<int> landmarkCounts;
  std::vector<int> landmarkSeeds;
  /// Values of settingOptions(), by their names.
  std::map<std::string, std::vector<std::string>> settings;
  std::vector<std::string> weights;
  bool ignoresUnexpected = false;

  /// What the model at `index` of checkpoints was asked for. Throws UsageError where an option was
  /// given neither once nor once per model.
  ModelRequest request(std::size_t index) const;

  /// What every model is called: as `--name` says, else by its file. Throws UsageError for more
  /// names than models.
  std::vector<std::string> modelNames() const;
  /// What `--name` says of the model at `index`; empty where it says nothing.
  std::string givenName(std::size_t index) const;

  /// Whether `--landmarks all` asks for every choice of them, as only one figure's table has it.
  bool wantsAllLandmarks() const;
  /// The numbers of `--heads`, whichever models they are of. Throws UsageError for other text.
  std::vector<int> allHeads() const;
  /// These arguments with one choice of landmarks for all models, and of the numbers those that
  /// belong to it.
  ModelArguments withLandmarks(LandmarkSource source) const;

 private:
  std::optional<HeadCounts> headCounts(std::size_t index) const;
  LandmarkChoice landmarkChoice(std::size_t index) const;
};

/// Adds `--attention --arch --heads --landmarks --landmark-count --landmark-seed --weights --device
/// --threads` and settingOptions().
void addModelDescription(CLI::App& command, ModelArguments& arguments);

/// Adds `-m` and `--ignore-unexpected`, too.
void addModels(CLI::App& command, ModelArguments& arguments, bool required);

/// Adds `--name`, to a command that says what models are called.
void addNames(CLI::App& command, ModelArguments& arguments, const std::string& group);

/// Adds `--ignore-unexpected` alone.
void addIgnoreUnexpected(CLI::App& command, bool& ignoresUnexpected);

/// A command that addModels() was called for takes one model, and refuses several.
void takeOneModel(CLI::App& command);

}  // namespace softscope
