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

/// Options of the command line for models, `-m` and those that belong to it, and for the device and
/// threads they use. The k-th value of `--attention`, `--arch`, `--heads`, `--landmarks`,
/// `--weights`, `--class-names` and of settingOptions() belongs to the k-th model, a single one to
/// all; `auto` (for `--heads` and `--landmark-count`, 0) leaves the option unset. The k-th `--name`
/// belongs only to the k-th model.
struct ModelArguments : ComputeSettings {
  std::vector<std::string> checkpoints;
  /// Values of `--name`, for commands that name models; see modelNames().
  std::vector<std::string> names;
  std::vector<std::string> attention;
  std::vector<std::string> architecture;
  /// `4`, or `1,3,4` for each stage.
  std::vector<std::string> heads;
  std::vector<std::string> landmarks;
  std::vector<int> landmarkCounts;
  std::vector<int> landmarkSeeds;
  /// Values of settingOptions(), by the options' names.
  std::map<std::string, std::vector<std::string>> settings;
  std::vector<std::string> weights;
  /// Files that name classes.
  std::vector<std::string> classNames;
  bool ignoresUnexpected = false;

  /// Returns the request for the model at `index`, which is to run on pictures of `size`, the value
  /// of `--size`. Throws UsageError if an option was given neither once nor once per model.
  ModelRequest request(std::size_t index, const std::string& size = {}) const;

  /// Replaces each path with wildcards, such as `run/epoch_*.pth`, by the files that match it, and
  /// repeats for each of them what was given once per `-m`, but for names. Returns the index of the
  /// `-m` that each file comes from. Throws FileError if no file matches.
  std::vector<std::size_t> expandWildcards();

  /// Returns these arguments with a single one of the models, and what belongs to it. Throws
  /// UsageError as request() does.
  ModelArguments only(std::size_t index) const;

  /// Returns the name of every model: from `--name`, or else from its file. Throws UsageError if
  /// there are more names than models.
  std::vector<std::string> modelNames() const;
  /// Returns the `--name` of the model at `index`; empty if there is none.
  std::string givenName(std::size_t index) const;

  /// Returns true if `--landmarks all` asks for every choice of landmarks, which only one figure's
  /// table supports.
  bool wantsAllLandmarks() const;
  /// Returns the numbers of `--heads` for all models together. Throws UsageError for other text.
  std::vector<int> allHeads() const;
  /// Returns these arguments with one choice of landmarks for all models, and only those numbers
  /// that belong to it.
  ModelArguments withLandmarks(LandmarkSource source) const;

 private:
  std::optional<HeadCounts> headCounts(std::size_t index) const;
  LandmarkChoice landmarkChoice(std::size_t index) const;
};

/// Adds `--attention --arch --heads --landmarks --landmark-count --landmark-seed --weights
/// --class-names --device --threads` and settingOptions().
void addModelDescription(CLI::App& command, ModelArguments& arguments);

/// Adds the options of addModelDescription(), `-m` and `--ignore-unexpected`.
void addModels(CLI::App& command, ModelArguments& arguments, bool required);

/// Adds `--name` to a command that names models.
void addNames(CLI::App& command, ModelArguments& arguments, const std::string& group);

/// Adds only `--ignore-unexpected`.
void addIgnoreUnexpected(CLI::App& command, bool& ignoresUnexpected);

/// Makes a command for which addModels() was called accept only a single model.
void takeOneModel(CLI::App& command);

/// Returns the words of a command line, the program's own first, with the value of the flag that
/// may have one behind an equals sign: `--plain-norms rms` is `--plain-norms=rms`, as `inspect`
/// says it.
std::vector<std::string> wordsWithJoinedFlag(std::vector<std::string> words);

}  // namespace softscope
