#include "models/identify/ConfiguredValues.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/Metadata.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/StoredOptions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {

namespace {

constexpr std::pair<const char*, const char*> timmPoolings[] = {
    {"token", "cls"}, {"avg", "mean"}, {"max", "max"}, {"avgmax", "avgmax"}, {"map", "map"}};

constexpr const char* rotaryBaseKey = "rope_temperature";
constexpr const char* referenceSideKey = "ref_feat_shape";

[[noreturn]] void failConfigured(const ConfigurationFile& said, const std::string& key,
                                 const std::string& value, const std::vector<std::string>& computed,
                                 const std::string& network) {
  throw ModelError(said.place() + " says " + key + " " + quotedText(value) + ", and of " + network +
                   " Softscope computes " + listedWithOr(computed) + " alone; " +
                   recordingAdvice());
}

/// Throws ModelError if `value` is not empty and none of the computed ones.
void requireComputed(const ConfigurationFile& said, const std::string& key,
                     const std::string& value, const std::vector<std::string>& computed,
                     const std::string& network) {
  const bool isComputed =
      value.empty() || std::any_of(computed.begin(), computed.end(), [&](const auto& one) {
        return value == one || value.starts_with(one + ",");
      });
  if (!isComputed) failConfigured(said, key, value, computed, network);
}

std::vector<std::string> timmPoolingsOf(const std::vector<std::string>& poolings) {
  std::vector<std::string> words;
  for (const auto& [word, pooling] : timmPoolings) {
    if (std::find(poolings.begin(), poolings.end(), pooling) != poolings.end()) {
      words.emplace_back(word);
    }
  }
  return words.empty() ? poolings : words;
}

std::optional<std::string> poolingOfTimm(const std::string& word) {
  for (const auto& [timmWord, pooling] : timmPoolings) {
    if (word == timmWord) return pooling;
  }
  return std::nullopt;
}

std::string keptText(const std::string& key, const ModelHints& hints) {
  return storedValue(key, hints).value_or(std::string());
}

std::optional<bool> flagIn(const std::string& text) {
  const std::string word = lowerCase(text);
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  return std::nullopt;
}

std::optional<double> positiveNumberIn(const std::string& text) {
  const auto number = parseNumber(text);
  return number && std::isfinite(*number) && *number > 0 ? number : std::nullopt;
}

}  // namespace

const ConfigurationFile* configurationFor(int lastChannels, const ModelHints& hints) {
  return hints.configuration.fits(lastChannels) ? &hints.configuration : nullptr;
}

const ConfigurationFile* configurationFor(const DefinedModel& model, const ModelHints& hints) {
  const bool fits = hints.configuration.fits(model.summary.channels, model.otherWidths);
  return fits ? &hints.configuration : nullptr;
}

bool namesNetwork(const ConfigurationFile* said) {
  return said != nullptr && !said->architecture.empty();
}

std::string configuredValue(const ConfigurationFile* said, const std::string& key) {
  if (said == nullptr) return {};
  const auto found = said->values.find(key);
  return found == said->values.end() ? std::string() : found->second;
}

std::optional<bool> toldFlag(const std::string& key, const ConfigurationFile* said,
                             const ModelHints& hints) {
  const auto kept = flagIn(keptText(key, hints));
  return kept ? kept : flagIn(configuredValue(said, key));
}

std::optional<double> toldRotaryBase(const ConfigurationFile* said, const ModelHints& hints) {
  if (const auto kept = positiveNumberIn(keptText(rotaryBaseKey, hints))) return kept;
  if (said != nullptr && said->rotaryBase) return said->rotaryBase;
  return positiveNumberIn(configuredValue(said, rotaryBaseKey));
}

std::optional<int> toldReferenceSide(const ConfigurationFile* said, const ModelHints& hints) {
  if (keptText(referenceSideKey, hints) == "0") return 0;
  std::vector<int> sides = numbersInMetadata(hints.metadata, referenceSideKey);
  if (sides.empty() && said != nullptr) sides = numbersInMetadata(said->values, referenceSideKey);
  const bool isSquare = std::ranges::all_of(sides, [&](int side) { return side == sides.front(); });
  return !sides.empty() && isSquare ? std::optional(sides.front()) : std::nullopt;
}

bool isToldByKey(const std::string& setting) {
  return setting == rotaryBaseKey || setting == referenceSideKey || setting == "use_rot_pos_emb" ||
         setting == "pool_include_prefix" || setting == "tokens_norm" || setting == "gate_last" ||
         setting == "in_chans" || setting == "img_size" || isStoredOption(setting);
}

NetworkSetting toldSetting(const std::string& key, const std::string& value,
                           const ModelHints& hints) {
  return {.option = key,
          .value = value,
          .source = storedValue(key, hints) ? "from the file's metadata"
                                            : "from " + hints.configuration.fileName,
          .choices = {},
          .why = {}};
}

void requireConfigured(const ConfigurationFile* said, const std::string& key,
                       const std::vector<std::string>& computed, const std::string& network) {
  if (said != nullptr) requireComputed(*said, key, configuredValue(said, key), computed, network);
}

void requireSquarePictures(const ConfigurationFile* said, const std::string& network) {
  if (said == nullptr) return;
  const auto require = [&](const std::string& key, const std::vector<int>& sides) {
    if (sides.size() != 2 || sides.front() == sides.back()) return;
    failConfigured(*said, key, listedNumbers(sides), {"networks for square pictures"}, network);
  };
  constexpr const char* key = "img_size";
  if (!configuredValue(said, key).empty()) {
    require(key, numbersInMetadata(said->values, key));
    return;
  }
  const ConfiguredTransform& transform = said->transform;
  // A preprocessor_config.json describes pictures as a later use of the weights wants them.
  if (said->transformFile != said->fileName || !transform.height || !transform.width) return;
  require("input_size", {*transform.height, *transform.width});
}

std::string configuredClass(const ConfigurationFile* said, const std::string& key) {
  std::string text = lowerCase(configuredValue(said, key));
  // The usual epsilon leaves the class as it is: functools.partial(<class 'LayerNorm'>, eps=1e-06).
  static const std::string partial = "partial(";
  const std::size_t call = text.find(partial);
  const std::size_t comma = text.find(',');
  const bool isUsual = text.ends_with(", eps=1e-06)") || text.ends_with(", eps=1e-6)");
  if (call != std::string::npos && call < comma && comma == text.rfind(',') && isUsual) {
    text = text.substr(call + partial.size(), comma - call - partial.size());
  }
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const std::size_t last = text.find_last_of(letters);
  // A call may change what the class computes: partial(LayerNorm, eps=1e-05).
  if (last == std::string::npos || text.find('(') != std::string::npos) return text;
  const std::size_t before = text.find_last_not_of(letters, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  std::string name = text.substr(first, last + 1 - first);
  std::erase(name, '_');
  return name == "none" ? std::string() : name;
}

void requireConfiguredClass(const ConfigurationFile* said, const std::string& key,
                            const std::vector<std::string>& computed, const std::string& network) {
  const std::string name = configuredClass(said, key);
  const bool isComputed = name.empty() || std::ranges::any_of(computed, [&](const auto& one) {
                            return lowerCase(one) == name;
                          });
  if (!isComputed) failConfigured(*said, key, configuredValue(said, key), computed, network);
}

void requireConfiguredBlocks(const ConfigurationFile* said, const std::string& network) {
  requireConfiguredClass(said, "block_fn", {"Block"}, network);
  requireConfiguredClass(said, "attn_layer", {"Attention", "attn"}, network);
}

NetworkSetting toldRotaryBaseSetting(double base, const ModelHints& hints) {
  return toldSetting(rotaryBaseKey, nlohmann::json(base).dump(), hints);
}

NetworkSetting assumedRotaryBaseSetting(double base) {
  return {.option = rotaryBaseKey,
          .value = nlohmann::json(base).dump(),
          .source = "assumed",
          .choices = {},
          .why =
              "rotations may have another base, which config.json (rope_theta) or the file's "
              "metadata (rope_temperature) tell, and no weight does"};
}

std::optional<std::string> configuredPooling(const ConfigurationFile* said) {
  if (said == nullptr || said->isOpenClips()) return std::nullopt;
  return poolingOfTimm(said->pooling);
}

void requireConfiguredPoolingWord(const ConfigurationFile* said,
                                  const std::vector<std::string>& computed,
                                  const std::string& network) {
  // OpenCLIP's word for it is pool_type, which has other values.
  if (said == nullptr || said->isOpenClips()) return;
  constexpr const char* key = "global_pool";
  requireComputed(*said, key, said->pooling, timmPoolingsOf(computed), network);
  // An empty word has the head answer for every token.
  const bool isUnpooled = said->pooling.empty() && said->values.contains(key);
  if (isUnpooled && said->values.at(key).empty()) {
    failConfigured(*said, key, "", timmPoolingsOf(computed), network);
  }
}

void requireConfiguredPooling(const ConfigurationFile* said,
                              const std::vector<std::string>& computed,
                              const std::string& network) {
  requireConfiguredPoolingWord(said, computed, network);
  const auto pooling = configuredPooling(said);
  if (pooling && *pooling != "cls") {
    requireConfigured(said, "pool_include_prefix", {"false"}, network);
  }
}

NetworkSetting resolveMapPooling(const std::string& network, bool isPublished,
                                 const ConfigurationFile* said, const ModelHints& hints) {
  SettingKnowledge known = knownOfPublished(network, isPublished, said);
  known.option = "pooling";
  known.usual = "mean";
  known.choices = {"mean", "max", "avgmax"};
  if (!isToldBeforeConfiguration(known, hints)) {
    requireConfiguredPooling(said, known.choices, network);
  }
  known.configured = configuredPooling(said);
  // A published input is no choice, unless someone asks for another or says that it is another.
  const bool isAsked = hints.settings.contains(known.option) ||
                       hints.metadata.contains(known.option) ||
                       known.configured.value_or(known.usual) != known.usual;
  if (isPublished && !isAsked) known.choices = {known.usual};
  return resolveSetting(known, hints);
}

std::optional<NetworkSetting> resolveClassPooling(const std::string& network, bool isTold,
                                                  const ConfigurationFile* said,
                                                  const ModelHints& hints) {
  SettingKnowledge known{.option = "pooling", .usual = "cls"};
  known.choices = {"cls", "mean"};
  known.isCertain = isTold;
  known.reason = isTold ? "as in every published " + network
                        : "nobody published a " + network +
                              " of these sizes, and no weight tells it; timm's global_pool does";
  if (!isToldBeforeConfiguration(known, hints)) {
    requireConfiguredPooling(said, known.choices, network);
  }
  known.configured = configuredPooling(said);
  const bool isAsked = hints.settings.contains(known.option) || known.configured ||
                       hints.metadata.contains(known.option);
  if (isTold && !isAsked) return std::nullopt;
  return resolveSetting(known, hints);
}

}  // namespace softscope
