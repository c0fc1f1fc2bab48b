#include "models/xcit/Sima.h"

#include "core/Error.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ShapeReader.h"
#include "models/xcit/XcitConfiguration.h"
#include "models/xcit/XcitNetwork.h"

#include <algorithm>
#include <optional>
#include <string>

namespace softscope {

namespace {

bool isSima(const StateDict& state) {
  return hasXcitNames(state) && !hasXcitTemperature(state);
}

std::optional<XcitMechanism> xcitMechanismOf(const std::string& name) {
  if (name == "sima") return XcitMechanism::Sima;
  if (name == "softmax") return XcitMechanism::Softmax;
  return std::nullopt;
}

/// What the weights were trained with: what metadata says, if it is a mechanism they allow.
XcitMechanism trainedXcitMechanism(const ModelHints& hints) {
  const auto mechanism = hints.metadata.find("mechanism");
  if (mechanism == hints.metadata.end()) return XcitMechanism::Sima;
  return xcitMechanismOf(lowerCase(mechanism->second)).value_or(XcitMechanism::Sima);
}

XcitMechanism resolveSimaMechanism(const ModelHints& hints) {
  if (!hints.attention) return trainedXcitMechanism(hints);
  const auto asked = xcitMechanismOf(lowerCase(*hints.attention));
  if (!asked) {
    throw ModelError("SimA's weights allow --attention sima or softmax, not \"" + *hints.attention +
                     "\"");
  }
  return *asked;
}

DefaultHeads defaultSimaHeads(int channels) {
  DefaultHeads usual{.possible = possibleHeads(channels)};
  if (const auto heads = publishedXcitHeads(channels)) {
    usual.heads = *heads;
    usual.confidence = 0.9;
    usual.reason = "no shape tells the heads, and published models of this width have " +
                   std::to_string(*heads);
    return usual;
  }
  constexpr int commonWidth = 48;
  usual.heads = channels % commonWidth == 0 ? channels / commonWidth : 1;
  usual.confidence = 0.5;
  usual.reason =
      "nothing tells the heads of a width that was not published, " + assumedText(usual.heads);
  return usual;
}

DefinedModel defineSima(const StateDict& state, const ModelHints& hints) {
  XcitConfiguration configuration = readXcitConfiguration(state, hints, "SimA");
  const int channels = configuration.channels;
  const ResolvedHeads heads = resolveHeads(channels, defaultSimaHeads(channels), hints);
  configuration.heads = heads.heads;
  configuration.mechanism = resolveSimaMechanism(hints);

  DefinedModel model = defineXcitModel("sima", configuration, hints);
  ModelSummary& summary = model.summary;
  summary.alternatives = {"sima", "softmax"};
  std::stable_partition(summary.alternatives.begin(), summary.alternatives.end(),
                        [&](const std::string& name) { return name == summary.mechanism; });
  summary.mechanismConfidence = 1;
  summary.reason =
      "Names and shapes are those of SimA on XCiT's backbone, without XCiT's temperature.";
  // --arch sima may open XCiT's weights as SimA.
  summary.counterfactual = summary.counterfactual ||
                           configuration.mechanism != trainedXcitMechanism(hints) ||
                           hasXcitTemperature(state);
  describeHeads(heads, summary);
  return model;
}

/// XCiT's layer scales start at 1 in its shallow networks.
void fillLayerScales(NetworkModule& network) {
  for (auto& parameter : network.named_parameters()) {
    if (parameter.key().find(".gamma") != std::string::npos) parameter.value().fill_(1);
  }
}

/// `sima_xcit_nano`: as wide as the published nano models and half as deep, for patches of 8 pixels
/// and pictures of 128 x 128.
std::vector<TrainableArchitecture> trainableSima() {
  TrainableArchitecture nano;
  nano.name = "sima_xcit_nano";
  nano.mechanism = "sima";
  nano.define = [](int classes) {
    XcitConfiguration configuration;
    configuration.channels = 128;
    configuration.heads = 4;
    configuration.depth = 6;
    configuration.hidden = 512;
    configuration.classHidden = 512;
    configuration.stemConvolutions = 3;
    configuration.classes = classes;
    configuration.mechanism = XcitMechanism::Sima;
    return std::make_shared<XcitNetwork>(configuration);
  };
  nano.metadata = {{"heads", "4"}};
  nano.fill = fillLayerScales;
  return {nano};
}

}  // namespace

Family simaFamily() {
  return {"sima", isSima, defineSima, trainableSima};
}

}  // namespace softscope
