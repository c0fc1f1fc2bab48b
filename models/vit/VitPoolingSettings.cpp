#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedSetting.h"
#include "models/vit/VitOpenSettings.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Returns the head's input that the weights themselves reveal, and how they do; nothing if they do
/// not. A norm of what is pooled and an absent class token make the mean likely, and tell it in
/// networks whose code is known.
std::optional<VitFact> poolingInWeights(const VitConfiguration& configuration,
                                        const VitAuthority& authority) {
  const VitNames& names = configuration.names;
  const bool isKnown = authority.tells() || !names.library.empty();
  if (configuration.pooling == VitPooling::Both) return VitFact{"both", "by the head's width"};
  if (!names.pool.layer.empty()) return VitFact{"map", "by " + names.pool.layer};
  if (!names.poolingNorm.empty()) {
    if (isKnown) return VitFact{"mean", "by " + names.poolingNorm};
    return VitFact{"mean", names.poolingNorm + " may be of anything that is pooled", false};
  }
  if (!configuration.classToken) {
    if (isKnown) return VitFact{"mean", "since there is no class token"};
    return VitFact{"mean", "no weight tells how patches are pooled", false};
  }
  if (configuration.distillationToken) {
    return VitFact{"cls", "since there is a distillation token"};
  }
  if (!names.library.empty()) {
    return VitFact{"cls", "as in " + names.library + " library, whose names these are"};
  }
  return std::nullopt;
}

/// Returns what is known of the head's input before config.json is consulted.
SettingKnowledge knownPooling(const VitConfiguration& configuration,
                              const VitAuthority& authority) {
  SettingKnowledge known{.option = "pooling", .usual = "cls", .reason = unpublishedText()};
  const bool areWeightsAsked =
      configuration.pooling == VitPooling::Both || !configuration.facts.pooling;
  const auto told = areWeightsAsked ? poolingInWeights(configuration, authority) : std::nullopt;
  if (!usesFact(told ? told : configuration.facts.pooling, known)) {
    known.isCertain = authority.tells();
    if (authority.tells()) known.reason = authority.source();
  }
  return known;
}

/// Returns the inputs that a head of these parts may have, as `--pooling` calls them. A norm of
/// what is pooled may follow the class token as well as the mean.
std::vector<std::string> possiblePoolings(const VitConfiguration& configuration,
                                          const SettingKnowledge& known) {
  const bool isBound = known.usual == "both" || known.usual == "map" ||
                       configuration.distillationToken ||
                       (known.isCertain && !configuration.names.library.empty());
  if (isBound) return {known.usual};
  // Without classes, the input is projected to CLIP's shared space, whose code knows no others.
  if (configuration.classes == 0) return {"cls", "mean"};
  if (!configuration.classToken) return {"mean", "max", "avgmax"};
  return {"cls", "mean", "max", "avgmax"};
}

constexpr const char* poolsPrefixKey = "pool_include_prefix";

/// Returns true for test_vit3, the only published ViT whose pool attends to the tokens before the
/// patches.
bool poolsPrefix(const VitConfiguration& configuration, const VitAuthority& authority) {
  constexpr int width = 96;
  if (authority.named) return authority.named->architecture.starts_with("test_vit3");
  return !configuration.classToken && configuration.registers == 1 &&
         configuration.pooling == VitPooling::Attention && configuration.channels == width;
}

VitPooling vitPoolingNamed(const std::string& name, VitPooling otherwise) {
  constexpr std::pair<std::string_view, VitPooling> known[] = {
      {"cls", VitPooling::ClassToken},
      {"mean", VitPooling::Patches},
      {"max", VitPooling::Largest},
      {"avgmax", VitPooling::MeanAndLargest},
  };
  for (const auto& [word, pooling] : known) {
    if (name == word) return pooling;
  }
  return otherwise;
}

}  // namespace

NetworkSetting resolvePooling(VitConfiguration& configuration, const VitAuthority& authority,
                              const ModelHints& hints) {
  if (configuration.pooling == VitPooling::Both && !configuration.names.poolingNorm.empty()) {
    throw ModelError("its head sees twice the width, and nothing tells which half " +
                     configuration.names.poolingNorm + " acts on; " + recordingAdvice());
  }
  SettingKnowledge known = knownPooling(configuration, authority);
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const std::vector<std::string> possible = possiblePoolings(configuration, known);
  // A head of twice the width sees class token and mean, whatever timm's word for it is.
  const SettingKnowledge all{.option = known.option, .choices = possible};
  if (!isToldBeforeConfiguration(all, hints) && known.usual != "both") {
    const auto require =
        configuration.mayPoolPrefix ? requireConfiguredPoolingWord : requireConfiguredPooling;
    require(said, possible, "this network");
  }
  known.configured = configuredPooling(said);
  // A known input is no choice, unless someone asks for another or says that it is another.
  const auto isNamed = [&](const std::string& one) {
    const auto kept = hints.metadata.find("pooling");
    const auto asked = hints.settings.find("pooling");
    return known.configured == one || (kept != hints.metadata.end() && kept->second == one) ||
           (asked != hints.settings.end() && asked->second == one);
  };
  for (const std::string& one : possible) {
    if (!known.isCertain || one == known.usual || isNamed(one)) known.choices.push_back(one);
  }
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.pooling = vitPoolingNamed(setting.value, configuration.pooling);
  return setting;
}

std::optional<NetworkSetting> resolvePrefixInPool(VitConfiguration& configuration,
                                                  const VitAuthority& authority,
                                                  const ModelHints& hints) {
  const VitPooling pooling = configuration.pooling;
  const bool isPooled = configuration.classes > 0 || !configuration.names.pool.layer.empty();
  const bool isOpen = configuration.mayPoolPrefix && configuration.prefixTokens() > 0 && isPooled &&
                      pooling != VitPooling::ClassToken && pooling != VitPooling::Both;
  if (!isOpen) return std::nullopt;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const auto told = toldFlag(poolsPrefixKey, said, hints);
  const bool isUsual = authority.tells() && poolsPrefix(configuration, authority);
  configuration.poolsPrefix = told.value_or(isUsual);
  const std::string value = configuration.poolsPrefix ? "true" : "false";
  if (told) return toldSetting(poolsPrefixKey, value, hints);
  NetworkSetting setting{.option = poolsPrefixKey, .value = value};
  // timm writes the arguments that differ from those of a network's name. Conversion loses the
  // name, so that what it tells is a setting; what sizes tell is one if it is unusual.
  const bool isNamed = said != nullptr && !said->architecture.empty();
  if (authority.tells() || isNamed) {
    setting.source = authority.tells() ? authority.source() : "by the network's name";
    if (authority.published && !isUsual) return std::nullopt;
    return setting;
  }
  setting.source = "assumed";
  setting.why =
      "timm's networks may pool the tokens before the patches as well (true), which config.json or "
      "the file's metadata tell, and no weight does";
  return setting;
}

std::optional<NetworkSetting> resolveNormOfFeatures(VitConfiguration& configuration,
                                                    const ModelHints& hints) {
  if (configuration.pooling != VitPooling::Patches) return std::nullopt;
  constexpr const char* key = "final_ln_after_pool";
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  SettingKnowledge known{.option = "final-norm", .usual = "tokens"};
  known.reason =
      std::string("OpenCLIP may norm what is pooled (") + key + "), and no weight tells it";
  known.choices = {"tokens", "pooled"};
  usesFact(configuration.facts.finalNorm, known);
  if (said != nullptr && said->isOpenClips()) {
    known.configured = configuredValue(said, key) == "true" ? "pooled" : "tokens";
  }
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.normsPooled = setting.value == "pooled";
  return setting;
}

}  // namespace softscope
