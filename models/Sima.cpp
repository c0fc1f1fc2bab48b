#include "models/Sima.h"

#include "core/Error.h"
#include "models/Metadata.h"
#include "models/ShapeReader.h"
#include "models/XcitLayout.h"
#include "models/XcitNetwork.h"

#include <algorithm>
#include <optional>
#include <string>

namespace softscope {

namespace {

bool isSima(const StateDict& state) {
  return hasXcitNames(state) && !hasXcitTemperature(state);
}

std::optional<XcitMechanism> mechanismOf(const std::string& name) {
  if (name == "sima") return XcitMechanism::Sima;
  if (name == "softmax") return XcitMechanism::Softmax;
  return std::nullopt;
}

/// What the weights were trained with: what metadata says, if it is a mechanism they allow.
XcitMechanism trainedMechanism(const ModelHints& hints) {
  const auto mechanism = hints.metadata.find("mechanism");
  if (mechanism == hints.metadata.end()) return XcitMechanism::Sima;
  return mechanismOf(lowerCase(mechanism->second)).value_or(XcitMechanism::Sima);
}

XcitMechanism decideMechanism(const ModelHints& hints) {
  if (!hints.attention) return trainedMechanism(hints);
  const auto asked = mechanismOf(lowerCase(*hints.attention));
  if (!asked) {
    throw ModelError("SimA's weights allow --attention sima or softmax, not \"" + *hints.attention +
                     "\"");
  }
  return *asked;
}

struct HeadsDecision {
  int heads = 0;
  double confidence = 1;
  std::string reason;
};

HeadsDecision decideHeads(int channels, const ModelHints& hints) {
  if (hints.heads) return {*hints.heads, 1.0, "the heads were chosen with --heads"};
  if (const auto heads = headsInMetadata(hints.metadata); heads && channels % *heads == 0) {
    return {*heads, 1.0, "the file's metadata says " + std::to_string(*heads) + " heads"};
  }
  if (const auto heads = publishedXcitHeads(channels)) {
    return {*heads, 0.9,
            "no shape tells the heads, and published models of this width have " +
                std::to_string(*heads)};
  }
  constexpr int commonWidth = 48;
  const int heads = channels % commonWidth == 0 ? channels / commonWidth : 1;
  return {heads, 0.5,
          "nothing tells the heads of a width that was not published, so " + std::to_string(heads) +
              " is assumed; --heads chooses others"};
}

DefinedModel defineSima(const StateDict& state, const ModelHints& hints) {
  XcitConfiguration configuration = readXcitConfiguration(state, hints, "SimA");
  const HeadsDecision heads = decideHeads(configuration.channels, hints);
  requireDivisibleHeads(configuration.channels, heads.heads);
  configuration.heads = heads.heads;
  configuration.mechanism = decideMechanism(hints);

  DefinedModel model = defineXcitModel("sima", configuration, hints);
  ModelSummary& summary = model.summary;
  summary.alternatives = {"sima", "softmax"};
  std::stable_partition(summary.alternatives.begin(), summary.alternatives.end(),
                        [&](const std::string& name) { return name == summary.mechanism; });
  summary.confidence = heads.confidence;
  summary.reason = "Names and shapes are those of SimA on XCiT's backbone, without XCiT's " +
                   std::string("temperature; ") + heads.reason + ".";
  // --arch sima may open XCiT's weights as SimA.
  summary.counterfactual = summary.counterfactual ||
                           configuration.mechanism != trainedMechanism(hints) ||
                           hasXcitTemperature(state);
  return model;
}

/// XCiT's layer scales start at 1 in its shallow networks.
void fillLayerScales(NetworkModule& network) {
  for (auto& parameter : network.named_parameters()) {
    if (parameter.key().find(".gamma") != std::string::npos) parameter.value().fill_(1);
  }
}

}  // namespace

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

Family simaFamily() {
  return {"sima", isSima, defineSima};
}

}  // namespace softscope
