#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/pyramid/PyramidConfiguration.h"
#include "models/soft/SoftConfiguration.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace softscope {

namespace {

constexpr const char* pyramidFamilyName = "soft_pyramid";

/// Excludes SOFT, which has no keys of its own.
bool isPyramid(const StateDict& state) {
  const ShapeReader shapes(state, "SOFT's pyramid");
  return shapes.any("block", ".att.mha.W_k.weight") || shapes.any("block", ".att.mha.W_k.bias") ||
         mechanismInWeights(shapes) != nullptr;
}

bool isPartOfWord(const std::string& text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

/// Returns the mechanism that occurs as a separate word in a name, the longest if there are
/// several: `elu` in `pyramid_elu_nano`, but not in `relu`.
std::optional<std::string> mechanismWordIn(const std::string& name) {
  std::optional<std::string> longest;
  for (const std::string& mechanism : pyramidMechanismsWithoutParameters()) {
    const std::size_t at = name.find(mechanism);
    if (at == std::string::npos || isPartOfWord(name, at + mechanism.size())) continue;
    if (at > 0 && isPartOfWord(name, at - 1)) continue;
    if (!longest || mechanism.size() > longest->size()) longest = mechanism;
  }
  return longest;
}

ResolvedMechanism resolvePyramidMechanism(const ShapeReader& shapes, const ModelHints& hints,
                                          std::vector<std::string>& allowed) {
  const MechanismImplementation* told = mechanismInWeights(shapes);
  if (told == nullptr) {
    const MechanismNames names{"this pyramid", pyramidMechanismsWithoutParameters(),
                               mechanismWordIn};
    ResolvedMechanism decision = resolveMechanism(names, hints);
    decision.reason = "which these mechanisms share; " + decision.reason;
    allowed = alternatives(names, decision.mechanism);
    return decision;
  }
  const std::string name(told->mechanism->name);
  if (hints.attention && lowerCase(*hints.attention) != name) {
    throw ModelError("this pyramid has the parameters of " + name +
                     ", which allow no other --attention than " + name);
  }
  allowed = {name};
  return {name, 1, "with the parameters that only " + name + " has"};
}

/// Returns heads of each stage that are 16, 32, 64 or 128 channels wide throughout, the chosen ones
/// first.
std::vector<std::string> possibleHeadsOfStages(const SoftConfiguration& sizes) {
  std::vector<std::string> choices{listedNumbers(sizes.heads)};
  for (const int width : {16, 32, 64, 128}) {
    std::vector<int> heads;
    for (const int channels : sizes.channels) {
      if (channels % width == 0) heads.push_back(channels / width);
    }
    std::string text = listedNumbers(heads);
    if (heads.size() == sizes.channels.size() && text != choices.front()) {
      choices.push_back(std::move(text));
    }
  }
  return choices;
}

NetworkSetting headsSetting(const PyramidConfiguration& configuration, const std::string& variant) {
  NetworkSetting setting{.option = "heads",
                         .value = listedNumbers(configuration.sizes.heads),
                         .source = configuration.headsSource};
  if (!configuration.headsAssumed) return setting;
  setting.source = "as softscope train has it in " + variant;
  if (variant != "custom") return setting;
  setting.source = "assumed";
  setting.why = "no weight tells the heads of all stages";
  setting.choices = possibleHeadsOfStages(configuration.sizes);
  return setting;
}

/// Describes the assumptions, unless they give the published network.
void describeAssumed(const PyramidConfiguration& configuration, ModelSummary& summary) {
  summary.settings.push_back(headsSetting(configuration, summary.variant));
  if (summary.isPublished()) return;
  if (configuration.headsAssumed) {
    summary.reason +=
        " Nothing says how many heads all stages have, so heads of 32 channels are assumed; "
        "softscope convert --set heads=A,B,C,D writes them into the file.";
  }
  if (configuration.ratiosAssumed) {
    summary.settings.push_back(assumedRatios(configuration.sizes));
    summary.reason +=
        " Nothing says the ratios of its landmarks, so those of SOFT are assumed; softscope "
        "convert --set ratios=A,B,C writes them into the file.";
  }
  constexpr double assumed = 0.5;
  if (configuration.headsAssumed || configuration.ratiosAssumed) summary.headsConfidence = assumed;
}

DefinedModel definePyramid(const StateDict& state, const ModelHints& hints) {
  const ShapeReader shapes(state, "SOFT's pyramid");
  ModelSummary summary;
  const ResolvedMechanism decision = resolvePyramidMechanism(shapes, hints, summary.alternatives);
  const PyramidConfiguration configuration =
      readPyramidConfiguration(shapes, *findPyramidMechanism(decision.mechanism), hints);
  summary.family = pyramidFamilyName;
  summary.variant = pyramidVariant(configuration);
  summary.mechanism = decision.mechanism;
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of SOFT's pyramid with queries and keys of their own, " +
      decision.reason + ".";
  summary.counterfactual = decision.counterfactual;
  describeAssumed(configuration, summary);
  summary.channels = configuration.sizes.channels[3];
  summary.classes = configuration.sizes.classes;
  summary.transform.cropFraction = 0.9;
  listSoftLayers(configuration.sizes, summary);
  return {std::move(summary), pyramidNetwork(configuration)};
}

TrainableArchitecture pyramidArchitecture(const std::string& name,
                                          const PyramidConfiguration& configuration) {
  TrainableArchitecture architecture;
  architecture.name = name;
  architecture.mechanism = configuration.implementation->mechanism->name;
  architecture.define = [configuration](int classes) {
    PyramidConfiguration sizes = configuration;
    sizes.sizes.classes = classes;
    return pyramidNetwork(sizes);
  };
  architecture.metadata = pyramidMetadata(configuration);
  if (configuration.implementation->fill != nullptr) {
    architecture.fill = [configuration](NetworkModule& network) {
      configuration.implementation->fill(stagesOf(configuration), network);
    };
  }
  architecture.resized = [name, configuration](const ArchitectureSizes& sizes) {
    return pyramidArchitecture(name, resizedPyramid(configuration, sizes));
  };
  return architecture;
}

/// Returns `pyramid_softmax_nano`, `pyramid_linformer_nano`, ..., for pictures of 128 x 128.
std::vector<TrainableArchitecture> trainablePyramids() {
  std::vector<TrainableArchitecture> trainable;
  for (const MechanismImplementation* implementation : pyramidMechanisms()) {
    const std::string name = "pyramid_" + std::string(implementation->mechanism->name) + "_nano";
    trainable.push_back(pyramidArchitecture(name, publishedPyramid(name).value()));
  }
  return trainable;
}

}  // namespace

Family pyramidFamily() {
  return {
      .name = pyramidFamilyName,
      .networks = "SOFT's pyramid with another attention",
      .attention = "softmax, SimA, Linformer, Performer, Nyströmformer, ELU, efficient, CosFormer",
      .recognises = isPyramid,
      .define = definePyramid,
      .trainable = trainablePyramids};
}

}  // namespace softscope
