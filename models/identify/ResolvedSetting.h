#pragma once

#include "models/identify/Family.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A family's knowledge about a setting before sources outside the weights are consulted.
struct SettingKnowledge {
  /// Name of the option, as in settingOptions().
  std::string option;
  /// The value of published networks, or the most likely one.
  std::string usual;
  /// If `isCertain`, the source, to be shown after the value; otherwise why nothing determines it.
  std::string reason;
  bool isCertain = false;
  /// Values that the network can compute, including `usual`.
  std::vector<std::string> choices;
  /// The value in the config.json beside the file, in the option's own words.
  std::optional<std::string> configured = std::nullopt;
  /// True if any other value that the option accepts can be computed as well.
  bool isOpen = false;
};

/// Returns what is known of a setting that no weight tells and that is alike in all published
/// networks of `network`. It is certain if these sizes are published, and if `said`, which may be
/// null, names the network and would say another value; otherwise it is to be assumed.
SettingKnowledge knownOfPublished(const std::string& network, bool isPublished,
                                  const ConfigurationFile* said);

/// Translates a value into the option's own words: `gelu_tanh` for Hugging Face's
/// `gelu_pytorch_tanh`, `1e-06` for `0.000001`. Any other value is converted to lower case.
std::string settingWord(const std::string& option, const std::string& value);

/// Determines a setting: from the option; then from the file's metadata; then from its config.json;
/// then from what the family is certain of; otherwise the usual value is assumed. Throws ModelError
/// if the network cannot compute the option's value. `epsilon` is taken from the metadata of files
/// that Softscope wrote alone, since trainings call other numbers so.
NetworkSetting resolveSetting(const SettingKnowledge& known, const ModelHints& hints);

/// Returns true if the option or the file's metadata determine a setting, so that its config.json
/// may say what the network cannot compute.
bool isToldBeforeConfiguration(const SettingKnowledge& known, const ModelHints& hints);

/// Determines the activation, for which config.json is `said` if it is of this network and null
/// otherwise. Throws ModelError if the network cannot compute what the file says and nothing
/// stronger tells another.
NetworkSetting resolveActivation(SettingKnowledge known, const ConfigurationFile* said,
                                 const ModelHints& hints);

/// Determines the activation of an mlp as resolveActivation() does: gelu, unless something says
/// gelu_tanh or relu.
NetworkSetting resolveMlpActivation(SettingKnowledge known, const ConfigurationFile* said,
                                    const ModelHints& hints);

/// Determines the epsilon of a network's norms, which may be any that the option accepts, by
/// option, metadata, `said` (config.json's) and the usual value, in this order. `epsilon` is the
/// usual value if `known` gives none, and is set to the result.
NetworkSetting resolveEpsilon(SettingKnowledge known, const std::optional<double>& said,
                              const ModelHints& hints, double& epsilon);

/// Adds a setting to a summary, and that the network is not what was trained if the setting says
/// so.
void describeSetting(const NetworkSetting& setting, ModelSummary& summary);
/// Calls describeSetting() for each of `settings`, in their order.
void describeSettings(const std::vector<NetworkSetting>& settings, ModelSummary& summary);

/// Writes the mean and deviation for normalising pictures to a model's transform, and their source
/// to its settings: `--mean` and `--std`; the file's metadata; the configuration beside it, which
/// is already in the transform; the name of a network that timm publishes; or else what published
/// networks of its layout were trained with.
void resolvePixelNorm(const ModelHints& hints, DefinedModel& model);

}  // namespace softscope
