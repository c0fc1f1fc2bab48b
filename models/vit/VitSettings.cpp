#include "models/vit/VitSettings.h"

#include "core/Error.h"
#include "core/model/SettingOption.h"
#include "models/identify/ResolvedSetting.h"
#include "models/vit/PublishedVits.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

struct NamedActivation {
  const char* name;
  VitActivation activation;
};

constexpr NamedActivation vitActivations[] = {
    {"gelu", VitActivation::Gelu}, {"gelu_tanh", VitActivation::TanhGelu},
    {"relu", VitActivation::Relu}, {"quick_gelu", VitActivation::QuickGelu},
    {"silu", VitActivation::Silu},
};

std::vector<std::string> activationNames() {
  std::vector<std::string> names;
  for (const NamedActivation& known : vitActivations) names.push_back(known.name);
  return names;
}

VitActivation activationNamed(const std::string& name) {
  const auto* known =
      std::find_if(std::begin(vitActivations), std::end(vitActivations),
                   [&](const NamedActivation& entry) { return entry.name == name; });
  return known == std::end(vitActivations) ? VitActivation::Gelu : known->activation;
}

/// The source of everything that layouts leave open: published sizes, or a name.
struct VitAuthority {
  std::optional<PublishedVit> published;
  std::optional<NamedVit> named;

  VitAuthority(const VitConfiguration& configuration, const ModelHints& hints)
      : published(publishedVit(configuration)), named(namedVit(configuration, hints)) {}

  bool tells() const { return published || named; }
  std::string source() const {
    if (named) return named->source;
    return published ? "as in published networks of these sizes (" + published->size + ")" : "";
  }
};

/// Explains why nothing determines a value, if names and shapes could be any network's.
std::string unpublishedText() {
  return "nobody published a network of these sizes, and no weight tells it";
}

/// Returns config.json's content, if it describes this network.
const ConfigurationFile* configurationOf(const VitConfiguration& configuration,
                                         const ModelHints& hints) {
  return hints.configuration.fits(configuration.channels) ? &hints.configuration : nullptr;
}

/// Uses what a family knows of a setting. Returns false if it knows nothing.
bool usesFact(const std::optional<VitFact>& fact, SettingKnowledge& known) {
  if (!fact) return false;
  known.usual = fact->value;
  known.reason = fact->source;
  known.isCertain = fact->isCertain;
  return true;
}

/// Uses what published sizes and names say of the activation.
void usePublishedActivation(const VitAuthority& authority, SettingKnowledge& known) {
  known.isCertain = authority.tells();
  if (authority.tells()) known.reason = authority.source();
  if (authority.published) {
    const std::vector<std::string>& activations = authority.published->activations;
    known.usual = activations.front();
    if (activations.size() > 1 && !authority.named) {
      known.isCertain = false;
      known.reason =
          "CLIP was trained with GELU and with QuickGELU in networks of these sizes, and no weight "
          "tells it";
    }
  }
  if (authority.named) known.usual = activationOfNamed(authority.named->architecture);
}

NetworkSetting settleActivation(VitConfiguration& configuration, const VitAuthority& authority,
                                const ModelHints& hints) {
  SettingKnowledge known{.option = "activation", .usual = "gelu", .reason = unpublishedText()};
  known.choices = activationNames();
  if (!usesFact(configuration.facts.activation, known)) usePublishedActivation(authority, known);
  const ConfigurationFile* said = configurationOf(configuration, hints);
  if (said != nullptr && !said->activation.empty()) {
    known.configured = settingWord("activation", said->activation);
    if (std::find(known.choices.begin(), known.choices.end(), *known.configured) ==
        known.choices.end()) {
      throw ModelError(said->fileName + " beside the file says the activation " + said->activation +
                       ", which Softscope does not compute; --activation chooses another");
    }
  }
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.activation = activationNamed(setting.value);
  return setting;
}

NetworkSetting settleEpsilon(VitConfiguration& configuration, const VitAuthority& authority,
                             const ModelHints& hints) {
  SettingKnowledge known{.option = "epsilon",
                         .usual = epsilonText(configuration.epsilon),
                         .reason = authority.tells() ? authority.source() : unpublishedText()};
  known.isCertain = authority.tells();
  usesFact(configuration.facts.epsilon, known);
  known.choices = {"1e-06", "1e-05", "1e-12"};
  known.isOpen = true;
  const ConfigurationFile* said = configurationOf(configuration, hints);
  if (said != nullptr && said->epsilon) known.configured = epsilonText(*said->epsilon);
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.epsilon = parseEpsilon(setting.value).value_or(configuration.epsilon);
  return setting;
}

NetworkSetting settleNorm(VitConfiguration& configuration, const VitAuthority& authority,
                          const ModelHints& hints) {
  SettingKnowledge known{.option = "norm", .usual = "pre", .reason = unpublishedText()};
  known.choices = {"pre", "post"};
  known.isCertain = true;
  if (usesFact(configuration.facts.norm, known)) {
    known.choices = {known.usual};
  } else if (!configuration.names.library.empty()) {
    known.choices = {"pre"};
    known.reason = "as in " + configuration.names.library + " library, whose names these are";
  } else if (!configuration.names.block.scale1.empty()) {
    known.choices = {"pre"};
    known.reason = "as in all networks with layer scales of these names";
  } else if (authority.tells()) {
    known.reason = authority.source();
  } else {
    known.isCertain = false;
  }
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.normsAfter = setting.value == "post";
  return setting;
}

/// Returns the head's input that the weights themselves reveal, and how they do; nothing if they do
/// not.
std::optional<std::pair<const char*, std::string>> poolingInWeights(
    const VitConfiguration& configuration) {
  const VitNames& names = configuration.names;
  if (configuration.pooling == VitPooling::Both) {
    return std::pair("both", std::string("by the head's width"));
  }
  if (!names.pool.layer.empty()) return std::pair("map", "by " + names.pool.layer);
  if (!names.poolingNorm.empty()) return std::pair("mean", "by " + names.poolingNorm);
  if (!configuration.classToken) {
    return std::pair("mean", std::string("since there is no class token"));
  }
  if (configuration.distillationToken) {
    return std::pair("cls", std::string("since there is a distillation token"));
  }
  if (!names.library.empty()) {
    return std::pair("cls", "as in " + names.library + " library, whose names these are");
  }
  return std::nullopt;
}

/// Settles whether the head sees the class token or the mean of the patches.
NetworkSetting settleOpenPooling(VitConfiguration& configuration, SettingKnowledge known,
                                 const ModelHints& hints) {
  known.choices = {"cls", "mean"};
  const ConfigurationFile* said = configurationOf(configuration, hints);
  if (said != nullptr && said->pooling == "token") known.configured = "cls";
  if (said != nullptr && said->pooling == "avg") known.configured = "mean";
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.pooling = setting.value == "mean" ? VitPooling::Patches : VitPooling::ClassToken;
  return setting;
}

NetworkSetting settlePooling(VitConfiguration& configuration, const VitAuthority& authority,
                             const ModelHints& hints) {
  SettingKnowledge known{.option = "pooling", .usual = "cls", .reason = unpublishedText()};
  if (usesFact(configuration.facts.pooling, known) && known.isCertain) {
    known.choices = {known.usual};
    return resolveSetting(known, hints);
  }
  if (configuration.facts.pooling) return settleOpenPooling(configuration, known, hints);
  if (const auto told = poolingInWeights(configuration)) {
    known.usual = told->first;
    known.reason = told->second;
    known.isCertain = true;
    known.choices = {known.usual};
    return resolveSetting(known, hints);
  }
  known.isCertain = authority.tells();
  if (authority.tells()) known.reason = authority.source();
  return settleOpenPooling(configuration, known, hints);
}

/// Returns as many heads as published networks of this width have. Narrow networks whose channels
/// are not divisible by 64 get 4 heads, as most self-written ones have.
DefaultHeads unpublishedVitHeads(int channels, const std::string& network) {
  constexpr int narrow = 256;
  constexpr int usualHead = 64;
  constexpr int commonHeads = 4;
  DefaultHeads assumed = assumedHeads(channels, network);
  if (const auto heads = publishedHeadsOfWidth(channels)) {
    assumed.heads = *heads;
  } else if (channels % usualHead != 0 && channels <= narrow && channels % commonHeads == 0) {
    assumed.heads = commonHeads;
  }
  return assumed;
}

}  // namespace

DefaultHeads defaultVitHeads(const VitConfiguration& configuration, const std::string& network,
                             const ModelHints& hints) {
  const VitAuthority authority(configuration, hints);
  if (!authority.published) return unpublishedVitHeads(configuration.channels, network);
  const std::vector<int>& heads = authority.published->heads;
  if (heads.size() == 1) return certainHeads(heads.front(), authority.source());
  if (authority.named) {
    const bool isSiglip = authority.named->architecture.find("siglip") != std::string::npos;
    return certainHeads(isSiglip ? heads.front() : heads.back(), authority.named->source);
  }
  DefaultHeads usual{.heads = heads.front(), .reason = {}, .possible = heads};
  for (const int other : possibleHeads(configuration.channels)) {
    if (std::find(heads.begin(), heads.end(), other) == heads.end())
      usual.possible.push_back(other);
  }
  usual.reason = "published networks with these names and shapes have " +
                 std::to_string(heads.front()) + " heads (SigLIP's) or " +
                 std::to_string(heads.back()) + " (vit_base_patch16_gap_224)";
  return usual;
}

std::vector<NetworkSetting> settleVit(VitConfiguration& configuration, const ModelHints& hints) {
  refuseOtherVits(configuration, hints);
  const VitAuthority authority(configuration, hints);
  std::vector<NetworkSetting> settings;
  if (!configuration.isGated || configuration.names.configuresGate) {
    settings.push_back(settleActivation(configuration, authority, hints));
  }
  settings.push_back(settleEpsilon(configuration, authority, hints));
  settings.push_back(settleNorm(configuration, authority, hints));
  if (configuration.classes > 0) {
    settings.push_back(settlePooling(configuration, authority, hints));
  }
  return settings;
}

void describeSettings(const std::vector<NetworkSetting>& settings, ModelSummary& summary) {
  for (const NetworkSetting& setting : settings) {
    summary.settings.push_back(setting);
    summary.counterfactual = summary.counterfactual || setting.isCounterfactual;
  }
}

std::vector<std::string> pixelNormsOfVits(const VitConfiguration& configuration) {
  const auto published = publishedVit(configuration);
  const bool isLarge = published && published->size == "large";
  if (!configuration.names.normBefore.empty()) {
    return isLarge ? std::vector<std::string>{"clip", "half"} : std::vector<std::string>{"clip"};
  }
  if (!configuration.names.pool.layer.empty()) return {"half"};
  if (!configuration.names.block.scale1.empty()) {
    if (configuration.patch == 14) {
      return configuration.registers == 1 ? std::vector<std::string>{"none", "imagenet"}
                                          : std::vector<std::string>{"imagenet"};
    }
    return {"imagenet", "half"};
  }
  return {"half", "imagenet"};
}

}  // namespace softscope
