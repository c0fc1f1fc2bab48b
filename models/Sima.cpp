#include "models/Sima.h"

#include "core/Error.h"
#include "models/ShapeReader.h"
#include "models/XcitLayout.h"

#include <algorithm>
#include <charconv>
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

/// Heads by metadata: no shape depends on them.
std::optional<int> headsInMetadata(const ModelHints& hints) {
  const auto text = hints.metadata.find("heads");
  if (text == hints.metadata.end()) return std::nullopt;
  int heads = 0;
  const char* end = text->second.data() + text->second.size();
  const auto [stop, error] = std::from_chars(text->second.data(), end, heads);
  if (error != std::errc() || stop != end || heads < 1) return std::nullopt;
  return heads;
}

HeadsDecision decideHeads(int channels, const ModelHints& hints) {
  if (hints.heads) return {*hints.heads, 1.0, "the heads were chosen with --heads"};
  if (const auto heads = headsInMetadata(hints); heads && channels % *heads == 0) {
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
  summary.counterfactual =
      configuration.mechanism != trainedMechanism(hints) || hasXcitTemperature(state);
  return model;
}

}  // namespace

Family simaFamily() {
  return {"sima", isSima, defineSima};
}

}  // namespace softscope
