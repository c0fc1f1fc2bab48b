#include "models/identify/ConfiguredValues.h"
#include "models/identify/ResolvedSetting.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitOpenSettings.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

/// Returns true for timm's names of networks with SwiGLU in their mlps.
bool isNameOfGated(const std::string& architecture) {
  const auto has = [&](const char* part) { return architecture.find(part) != std::string::npos; };
  return has("_giant_") && (has("dinov2") || has("tipsv2"));
}

/// Returns true if all published networks of this name or these sizes have SwiGLU in their mlps.
/// Other names and sizes are of networks without gates, and tell nothing of one.
bool hasPublishedGate(const VitConfiguration& configuration, const VitAuthority& authority) {
  constexpr int widthOfGiant = 1536;
  constexpr int hiddenOfGiant = 4096;
  const bool isGiant = authority.published && configuration.channels == widthOfGiant &&
                       configuration.hidden == hiddenOfGiant;
  return isGiant || (authority.named && isNameOfGated(authority.named->architecture));
}

/// Uses what is known of the activation of a gate that mayGateOtherwise(). timm gives its mlps the
/// activation of the whole network, whatever that of the mlp's class is by itself.
void useTimmsGate(const VitAuthority& authority, const ConfigurationFile* said,
                  SettingKnowledge& known) {
  known.reason = "timm's gates may have any activation, and no weight tells it";
  if (configuredClass(said, timmsMlpKey).empty()) return;
  known.usual = "gelu";
  if (!authority.named) return;
  const std::string& name = authority.named->architecture;
  known.usual = isNameOfGated(name) ? "silu" : activationOfNamed(name);
  known.reason = authority.source();
  known.isCertain = true;
}

}  // namespace

NetworkSetting resolveVitActivation(VitConfiguration& configuration, const VitAuthority& authority,
                                    bool isGateOpen, const ModelHints& hints) {
  SettingKnowledge known{.usual = configuration.isGated ? "silu" : "gelu",
                         .reason = unpublishedText()};
  known.choices = activationNames();
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  if (isGateOpen) {
    useTimmsGate(authority, said, known);
  } else if (!usesFact(configuration.facts.activation, known)) {
    usePublishedActivation(authority, known);
  }
  NetworkSetting setting = resolveActivation(std::move(known), said, hints);
  configuration.activation = activationNamed(setting.value);
  return setting;
}

bool mayGateOtherwise(const VitConfiguration& configuration, const VitAuthority& authority,
                      const ModelHints& hints) {
  const VitNames& names = configuration.names;
  const bool isTimms = configuration.isGated && !names.configuresGate && names.library.empty() &&
                       names.block.expand.starts_with("mlp.fc1") && !configuration.facts.activation;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const bool isSaid =
      said != nullptr && !(said->activation.empty() && configuredClass(said, timmsMlpKey).empty());
  return isTimms && (isSaid || !hasPublishedGate(configuration, authority));
}

NetworkSetting resolveGate(VitConfiguration& configuration, const VitAuthority& authority,
                           const ModelHints& hints) {
  constexpr const char* key = "gate_last";
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  auto told = toldFlag(key, said, hints);
  const std::string mlp = configuredClass(said, timmsMlpKey);
  if (!told && !mlp.empty()) told = mlp == "glumlp";
  configuration.isGateLast = told.value_or(false);
  const char* value = configuration.isGateLast ? "true" : "false";
  if (told) return toldSetting(key, value, hints);
  if (hasPublishedGate(configuration, authority)) {
    return {.option = key, .value = value, .source = authority.source(), .choices = {}, .why = {}};
  }
  return {.option = key,
          .value = value,
          .source = "assumed",
          .choices = {},
          .why =
              "timm's GluMlp gates with the second half of the mlp's first product and "
              "SwiGLUPacked with the first, which config.json or the file's metadata tell, and "
              "no weight does"};
}

}  // namespace softscope
