#include "core/Error.h"
#include "models/identify/ChosenSizes.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/xcit/XcitConfiguration.h"
#include "models/xcit/XcitNetwork.h"

#include <string>
#include <vector>

namespace softscope {

namespace {

bool isSima(const StateDict& state) {
  return hasXcitNames(state) && !hasXcitTemperature(state);
}

/// Mechanisms that SimA's parameters allow, the published one first.
constexpr XcitMechanism simaMechanisms[] = {XcitMechanism::Sima, XcitMechanism::Softmax,
                                            XcitMechanism::SimaL2, XcitMechanism::SimaUnnormalised};

std::vector<std::string> mechanismNames() {
  std::vector<std::string> names;
  for (const XcitMechanism mechanism : simaMechanisms) names.push_back(mechanismName(mechanism));
  return names;
}

const MechanismNames& simaNames() {
  static const MechanismNames names{
      .network = "SimA", .mechanisms = mechanismNames(), .namedBy = {}, .usualIsCertain = true};
  return names;
}

/// Determines the mechanism. `--arch sima` may open XCiT's weights as SimA; what their metadata say
/// about training does not apply to SimA.
ResolvedMechanism resolveSimaMechanism(const StateDict& state, ModelHints hints) {
  const bool isXcits = hasXcitTemperature(state);
  if (isXcits) hints.metadata.erase("mechanism");
  ResolvedMechanism decision = resolveMechanism(simaNames(), hints);
  decision.counterfactual |= isXcits;
  return decision;
}

DefaultHeads defaultSimaHeads(const XcitConfiguration& configuration) {
  const int channels = configuration.channels;
  const std::string size = publishedXcitSize(configuration);
  DefaultHeads usual{.heads = 1, .reason = {}, .possible = possibleHeads(channels)};
  const auto heads = publishedXcitHeads(channels);
  if (!size.empty()) {
    usual.isCertain = true;
    usual.reason = "as in the published sima_" + size;
  } else {
    usual.reason = "no published SimA has these sizes, and no weight tells the heads";
  }
  constexpr int commonWidth = 48;
  if (channels % commonWidth == 0) usual.heads = channels / commonWidth;
  usual.heads = heads.value_or(usual.heads);
  return usual;
}

DefinedModel defineSima(const StateDict& state, const ModelHints& hints) {
  XcitConfiguration configuration = readXcitConfiguration(state, "SimA");
  const int channels = configuration.channels;
  const ResolvedHeads heads = resolveHeads(channels, defaultSimaHeads(configuration), hints);
  configuration.heads = heads.heads;
  const ResolvedMechanism decision = resolveSimaMechanism(state, hints);
  for (const XcitMechanism mechanism : simaMechanisms) {
    if (mechanismName(mechanism) == decision.mechanism) configuration.mechanism = mechanism;
  }

  DefinedModel model = defineXcitModel("sima", "SimA", configuration, hints);
  ModelSummary& summary = model.summary;
  summary.alternatives = alternatives(simaNames(), decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of SimA on XCiT's backbone, without XCiT's temperature.";
  summary.counterfactual = summary.counterfactual || decision.counterfactual;
  describeHeads(heads, summary);
  return model;
}

/// XCiT's layer scales start at 1 in its shallow networks.
void fillLayerScales(NetworkModule& network) {
  for (auto& parameter : network.named_parameters()) {
    if (parameter.key().find(".gamma") != std::string::npos) parameter.value().fill_(1);
  }
}

/// Returns a network as wide as the published nano models and half as deep, for patches of 8
/// pixels.
XcitConfiguration nanoSima() {
  XcitConfiguration nano;
  nano.channels = 128;
  nano.heads = 4;
  nano.depth = 6;
  nano.hidden = 512;
  nano.classHidden = 512;
  nano.stemConvolutions = 3;
  nano.mechanism = XcitMechanism::Sima;
  return nano;
}

/// Returns the network with other sizes; hidden layers keep their ratio to the channels.
XcitConfiguration resizedSima(XcitConfiguration configuration, const ArchitectureSizes& sizes) {
  const int usual = configuration.channels;
  chooseSizes(sizes.widths, {&configuration.channels, 1}, "--width");
  chooseSizes(sizes.heads, {&configuration.heads, 1}, "--heads");
  const int channels = configuration.channels;
  requireTrainableHeads(channels, configuration.heads, 0);
  const int steps = 1 << (configuration.stemConvolutions - 1);
  if (channels % steps != 0) {
    throw ModelError("the patch embedding doubles its channels up to --width, which " +
                     std::to_string(steps) + " must divide; " + std::to_string(channels) +
                     " is no such number");
  }
  configuration.hidden = configuration.hidden * channels / usual;
  configuration.classHidden = configuration.classHidden * channels / usual;
  return configuration;
}

TrainableArchitecture simaArchitecture(const std::string& name,
                                       const XcitConfiguration& configuration) {
  TrainableArchitecture architecture;
  architecture.name = name;
  architecture.mechanism = mechanismName(configuration.mechanism);
  architecture.define = [configuration](int classes) {
    XcitConfiguration sizes = configuration;
    sizes.classes = classes;
    return std::make_shared<XcitNetwork>(sizes);
  };
  architecture.metadata = {{"heads", std::to_string(configuration.heads)}, {"activation", "gelu"}};
  architecture.fill = fillLayerScales;
  architecture.resized = [name, configuration](const ArchitectureSizes& sizes) {
    return simaArchitecture(name, resizedSima(configuration, sizes));
  };
  return architecture;
}

/// Returns `sima_xcit_nano`, for pictures of 128 x 128.
std::vector<TrainableArchitecture> trainableSima() {
  return {simaArchitecture("sima_xcit_nano", nanoSima())};
}

}  // namespace

Family simaFamily() {
  Family family{.name = "sima",
                .networks = "SimA",
                .attention = "l1-normalised products",
                .recognises = isSima,
                .define = defineSima,
                .trainable = trainableSima,
                .harmless = harmlessXcitExtras()};
  // With --arch sima, XCiT's weights are opened to see how they would attend without it.
  family.harmless.push_back("blocks.*.attn.temperature");
  return family;
}

}  // namespace softscope
