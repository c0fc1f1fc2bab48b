#pragma once

#include "models/identify/Family.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

// The comparison of what a config.json says with what a network computes.

/// Returns the content of config.json if it can describe a network with `lastChannels` channels in
/// its last stage; otherwise null.
const ConfigurationFile* configurationFor(int lastChannels, const ModelHints& hints);

/// Returns the content of config.json if it can describe this network; otherwise null.
const ConfigurationFile* configurationFor(const DefinedModel& model, const ModelHints& hints);

/// Returns true if a configuration names the network, whose arguments it then says where they
/// differ from the usual ones; `said` may be null.
bool namesNetwork(const ConfigurationFile* said);

/// Returns the text under a key of ConfigurationFile::values; empty if `said` is null or the file
/// says nothing there.
std::string configuredValue(const ConfigurationFile* said, const std::string& key);

// Values that the file's own metadata may also give under config.json's keys, as `convert` writes
// them; metadata come first. Values that cannot be read count as not given.

/// Returns the value of `key` if it is given as one of the words `true` and `false`.
std::optional<bool> toldFlag(const std::string& key, const ConfigurationFile* said,
                             const ModelHints& hints);
/// Returns the base of rotary periods, `rope_temperature`, or what Hugging Face calls `rope_theta`.
std::optional<double> toldRotaryBase(const ConfigurationFile* said, const ModelHints& hints);
/// Returns the side of the grid that rotations were trained on if `ref_feat_shape` is one number or
/// several equal ones; 0 if the metadata say so: there is no such grid.
std::optional<int> toldReferenceSide(const ConfigurationFile* said, const ModelHints& hints);

/// Returns true for a setting that has no option and is called as its key: `tokens_norm`. A
/// converted file keeps it under that key.
bool isToldByKey(const std::string& setting);
/// Returns the setting of a key for which isToldByKey() holds, with the value that was told.
NetworkSetting toldSetting(const std::string& key, const std::string& value,
                           const ModelHints& hints);
/// Returns the setting of the base of rotary periods, with what toldRotaryBase() returned.
NetworkSetting toldRotaryBaseSetting(double base, const ModelHints& hints);
/// Returns the setting of the base of rotary periods, guessed because nothing tells it.
NetworkSetting assumedRotaryBaseSetting(double base);

/// Throws ModelError, which names key and value, if the file says something under `key` that is
/// none of the values that are `computed` for `network`. These are texts as in
/// ConfigurationFile::values; a list in the file may go on behind the numbers of a computed one.
/// Does nothing if `said` is null.
void requireConfigured(const ConfigurationFile* said, const std::string& key,
                       const std::vector<std::string>& computed, const std::string& network);

/// Throws ModelError like requireConfigured() if the file says that a network, whose table of
/// positions is read as that of a square, was made for pictures with sides that differ: timm's
/// `img_size`, or the size of its published weights.
void requireSquarePictures(const ConfigurationFile* said, const std::string& network);

/// Returns the name of the class that config.json gives under `key`, in lower case and without its
/// modules and underscores: `glumlp` for `timm.layers.GluMlp`. A call is returned as a whole. Empty
/// if `said` is null or the file says nothing there.
std::string configuredClass(const ConfigurationFile* said, const std::string& key);

/// Throws ModelError like requireConfigured() if configuredClass() is none of the classes that are
/// `computed`, in any case of letters.
void requireConfiguredClass(const ConfigurationFile* said, const std::string& key,
                            const std::vector<std::string>& computed, const std::string& network);

/// Throws ModelError, as requireConfiguredClass() does, if timm's `block_fn` or `attn_layer` says
/// that blocks compute something else under the same names: norms behind what they normalise, or
/// the difference of two attentions.
void requireConfiguredBlocks(const ConfigurationFile* said, const std::string& network);

/// Returns the value of `--pooling` that means the same as timm's `global_pool`: `cls` for `token`,
/// `mean` for `avg`, `max`, `avgmax` and `map` themselves; nothing for any other, and for
/// OpenCLIP's `pool_type`, whose words mean something else.
std::optional<std::string> configuredPooling(const ConfigurationFile* said);

/// Throws ModelError like requireConfigured() if timm's `global_pool` says none of the values of
/// `--pooling` that are `computed`, as an empty word does.
void requireConfiguredPoolingWord(const ConfigurationFile* said,
                                  const std::vector<std::string>& computed,
                                  const std::string& network);
/// Throws ModelError as requireConfiguredPoolingWord() does, and also for `pool_include_prefix`,
/// which adds the tokens before the patches to what is pooled, unless the class token alone is
/// taken.
void requireConfiguredPooling(const ConfigurationFile* said,
                              const std::vector<std::string>& computed, const std::string& network);

/// Resolves what a head sees of the last map, as timm's `global_pool` may say: its mean, which all
/// published networks have, its largest values or half of both. Throws ModelError for any other.
NetworkSetting resolveMapPooling(const std::string& network, bool isPublished,
                                 const ConfigurationFile* said, const ModelHints& hints);

/// Resolves whether a head sees the class token, as it does in every published network of
/// `network`, or the mean of the patches, which timm's `global_pool` may say. `isTold` is true if
/// nothing but a config.json can say the latter, and false if it is open without one. Returns
/// nothing if the head sees the class token for certain and no one asks for another.
std::optional<NetworkSetting> resolveClassPooling(const std::string& network, bool isTold,
                                                  const ConfigurationFile* said,
                                                  const ModelHints& hints);

}  // namespace softscope
