#include "models/identify/StoredOptions.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Metadata.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedSetting.h"

#include <algorithm>
#include <iterator>

namespace softscope {

namespace {

/// Keys that a repository does not keep within a dictionary `MODEL`.
constexpr const char* keysOutsideModel[] = {"act_layer",
                                            "always_partition",
                                            "down_pad",
                                            "down_stride",
                                            "norm_eps",
                                            "rope_grid_indexing",
                                            "rope_grid_offset",
                                            "rope_rotate_half",
                                            "rope_type",
                                            "channel_gamma",
                                            "flagss",
                                            "head_norm_eps",
                                            "hidden_act",
                                            "if_bidirectional",
                                            "if_divide_out",
                                            "kernel_type",
                                            "key_maximum",
                                            "newton_maxiter",
                                            "output_stride",
                                            "pos_embed_rope_dtype",
                                            "pos_embed_rope_normalize_coords",
                                            "pooling_mode",
                                            "post_norm",
                                            "pretrained_window_sizes",
                                            "qk_scale",
                                            "shift_pixel",
                                            "use_middle_cls_token",
                                            "use_pos"};

/// Returns `4` for `4.0`, and any other word in lower case.
std::string storedWord(const std::string& text) {
  const auto number = parseNumber(text);
  return number ? numberText(*number) : lowerCase(text);
}

[[noreturn]] void failStored(const std::string& place, const std::string& value,
                             const StoredOption& known) {
  throw ModelError(place + " " + quotedText(value) + ", and of " + known.network +
                   " Softscope computes " + listedWithOr(known.computed) + " alone; " +
                   recordingAdvice());
}

bool isComputed(const StoredOption& known, const std::string& value) {
  // Where `accepts` decides, `computed` describes values for messages and may be no value itself.
  if (known.accepts) return known.accepts(value);
  return std::ranges::find(known.computed, value) != known.computed.end();
}

}  // namespace

std::optional<std::string> storedValue(const std::string& key, const ModelHints& hints) {
  // The first place is the key alone, which `convert --set` writes, so a user's value wins.
  for (const std::string& place : placesOfTrainers()) {
    const auto found = hints.metadata.find(place + key);
    if (found != hints.metadata.end()) return storedWord(found->second);
  }
  return std::nullopt;
}

std::string resolveStoredOption(const StoredOption& known, const ModelHints& hints,
                                ModelSummary& summary, const ConfigurationFile* said) {
  NetworkSetting setting{
      .option = known.key, .value = known.usual, .source = "assumed", .choices = {}, .why = {}};
  const std::string& configuredKey = known.configuredKey.empty() ? known.key : known.configuredKey;
  const std::string configured = configuredValue(said, configuredKey);
  if (const auto stored = storedValue(known.key, hints)) {
    if (!isComputed(known, *stored))
      failStored("the file's metadata says " + known.key, *stored, known);
    setting.value = *stored;
    setting.source = "from the file's metadata";
  } else if (said != nullptr && !configured.empty()) {
    setting.value = storedWord(configured);
    if (!isComputed(known, setting.value)) {
      failStored(said->place() + " says " + configuredKey, configured, known);
    }
    setting.source = "from " + said->fileName;
  } else if (!known.toldBy.empty()) {
    setting.source = known.toldBy;
  } else if (known.isCertain) {
    return known.usual;
  } else {
    setting.why = known.reason;
  }
  // A value that is the only choice says that no other is computed; open ones have no list.
  if (known.computed == std::vector{known.usual}) setting.choices = {setting.value};
  const bool isPlain = known.isCertain && known.toldBy.empty();
  if (isPlain && setting.value == known.usual) return known.usual;
  if (setting.value != known.usual) summary.variant = "custom";
  describeSetting(setting, summary);
  return setting.value;
}

void resolveFixedOption(const FixedOption& option, bool isPublished, const ConfigurationFile* said,
                        const ModelHints& hints, ModelSummary& summary) {
  const SettingKnowledge known = knownOfPublished(option.network, isPublished, said);
  std::string toldBy = isPublished || !known.isCertain ? std::string() : known.reason;
  if (!configuredValue(said, option.key).empty()) toldBy = "from " + said->fileName;
  const auto letters = [](std::string text) {
    std::erase(text, '_');
    return text;
  };
  resolveStoredOption(
      {.key = option.key,
       .usual = option.value,
       .isCertain = known.isCertain,
       .reason = known.reason,
       .network = option.network,
       .computed = {option.value},
       .accepts = [&](const std::string& text) { return letters(text) == letters(option.value); },
       .toldBy = toldBy},
      hints, summary);
}

void resolveUsualLayers(const std::string& network, double epsilon, bool isPublished,
                        const ModelHints& hints, ModelSummary& summary) {
  const ConfigurationFile* said = configurationFor(summary.channels, hints);
  resolveFixedOption({"act_layer", "gelu", network}, isPublished, said, hints, summary);
  if (epsilon == 0) return;
  resolveFixedOption({"norm_eps", numberText(epsilon), network}, isPublished, said, hints, summary);
}

void resolveHeadScale(const std::string& network, bool isPublished, const ModelHints& hints,
                      ModelSummary& summary, const std::string& key) {
  const ConfigurationFile* said = configurationFor(summary.channels, hints);
  requireConfigured(said, key, {"none"}, network);
  resolveFixedOption({key, "none", network}, isPublished, said, hints, summary);
}

void resolveConstructorArguments(const std::string& network, const ModelHints& hints,
                                 double& epsilon, ModelSummary& summary) {
  const bool isPublished = summary.isPublished();
  const ConfigurationFile* said = configurationFor(summary.channels, hints);
  resolveHeadScale(network, isPublished, hints, summary);
  resolveUsualLayers(network, 0, isPublished, hints, summary);
  const auto told = said != nullptr ? said->epsilon : std::nullopt;
  describeSetting(
      resolveEpsilon(knownOfPublished(network, isPublished, said), told, hints, epsilon), summary);
}

ModelHints withStoredHeads(const std::string& key, const ModelHints& hints) {
  ModelHints told = hints;
  const auto stored = storedValue(key, hints);
  if (stored && !headsInMetadata(hints.metadata)) told.metadata["heads"] = *stored;
  return told;
}

bool isStoredOption(const std::string& setting) {
  return setting.starts_with("MODEL.") ||
         std::ranges::find(keysOutsideModel, setting) != std::end(keysOutsideModel);
}

}  // namespace softscope
