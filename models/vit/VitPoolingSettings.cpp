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

NetworkSetting settlePooling(VitConfiguration& configuration, const VitAuthority& authority,
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
    requireConfiguredPooling(said, possible, "this network");
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

std::optional<NetworkSetting> settleNormOfFeatures(VitConfiguration& configuration,
                                                   const ModelHints& hints) {
  if (configuration.pooling != VitPooling::Patches) return std::nullopt;
  constexpr const char* key = "final_ln_after_pool";
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  SettingKnowledge known{.option = "final-norm", .usual = "tokens"};
  known.reason =
      std::string("OpenCLIP may norm what is pooled (") + key + "), and no weight tells it";
  known.choices = {"tokens", "pooled"};
  if (said != nullptr && said->isOpenClips()) {
    known.configured = configuredValue(said, key) == "true" ? "pooled" : "tokens";
  }
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.normsPooled = setting.value == "pooled";
  return setting;
}

}  // namespace softscope
