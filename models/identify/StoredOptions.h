#pragma once

#include "models/identify/Family.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

// Options of a network's own repository that leave nothing in its weights. Training scripts store
// them beside the weights, under the keys of their configuration.

/// One such option, and what a family knows about it.
struct StoredOption {
  /// The key in the repository's configuration, with the dictionaries that lead to it:
  /// `MODEL.LA.ALPHA`. It is also the setting's name, and the key that `convert --set` writes.
  std::string key;
  /// The value of published networks, or the repository's default, which is assumed.
  std::string usual;
  /// True if published networks of these sizes have this value.
  bool isCertain = false;
  /// Why nothing determines the value; unused if it is certain.
  std::string reason;
  /// The network's name, for messages.
  std::string network;
  /// Values that the network can compute; with `accepts`, which decides instead, words for them.
  std::vector<std::string> computed;
  std::function<bool(const std::string&)> accepts = nullptr;
  /// The key in config.json, if that is another one.
  std::string configuredKey = {};
  /// The source of the usual value if something tells it that a converted file loses, such as a
  /// name; it is a setting then, even if it is certain.
  std::string toldBy = {};
};

/// Returns the value that the file's metadata hold for a key, in lower case: under the key alone or
/// within a dictionary of what the network was made with (`config.MODEL.LA.ALPHA`); nothing if they
/// do not.
std::optional<std::string> storedValue(const std::string& key, const ModelHints& hints);

/// Determines an option: from the file's metadata; then from a key of the config.json beside it,
/// `said`, if that is not null; then from what the family is certain of; otherwise the usual value
/// is assumed. Adds it to the settings of `summary` unless it is certain and no one told another; a
/// network with another value than the usual one is called custom. Throws ModelError, which names
/// key and value, if what was told cannot be computed.
std::string resolveStoredOption(const StoredOption& known, const ModelHints& hints,
                                ModelSummary& summary, const ConfigurationFile* said = nullptr);

/// An option of which one value alone is computed, that of all published networks.
struct FixedOption {
  std::string key;
  std::string value;
  std::string network;  ///< for messages
};

/// Adds an option to the settings of `summary` unless these sizes are published. It is told if
/// `said`, which may be null, names the network and would say another value, and assumed otherwise.
/// Throws ModelError if the metadata hold another value.
void resolveFixedOption(const FixedOption& option, bool isPublished, const ConfigurationFile* said,
                        const ModelHints& hints, ModelSummary& summary);

/// Adds to the settings of `summary`, as resolveFixedOption() does, the activation of the mlps,
/// which is GELU, and, unless it is zero, the epsilon of the norms.
void resolveUsualLayers(const std::string& network, double epsilon, bool isPublished,
                        const ModelHints& hints, ModelSummary& summary);

/// Adds to the settings of `summary`, as resolveFixedOption() does, that the products of queries
/// and keys have the scale that a head's width gives, and not one that was set under `key`. Throws
/// ModelError if config.json or the metadata say another.
void resolveHeadScale(const std::string& network, bool isPublished, const ModelHints& hints,
                      ModelSummary& summary, const std::string& key = "qk_scale");

/// Adds to the settings of `summary` what the authors' constructors choose for every block and no
/// weight tells: the scale of a head's products, GELU, and the epsilon of norms, which may be
/// chosen and is written to `epsilon`.
void resolveConstructorArguments(const std::string& network, const ModelHints& hints,
                                 double& epsilon, ModelSummary& summary);

/// Returns hints whose metadata hold, unless they tell heads already, those that the repository's
/// configuration holds under `key`: one number, or one for each stage (`2,4,8,16`).
ModelHints withStoredHeads(const std::string& key, const ModelHints& hints);

/// Returns true for a setting that a StoredOption named.
bool isStoredOption(const std::string& setting);

}  // namespace softscope
