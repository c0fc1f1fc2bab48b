#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/soft/SoftConfiguration.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace softscope {

namespace {

struct PublishedSoft {
  const char* size;
  std::array<int, 4> channels;
  std::array<int, 4> depths;
};

constexpr PublishedSoft publishedSofts[] = {
    {"tiny", {64, 128, 320, 512}, {1, 2, 3, 2}},    {"small", {64, 128, 320, 512}, {1, 3, 20, 4}},
    {"medium", {64, 128, 288, 512}, {1, 3, 29, 5}}, {"large", {64, 128, 320, 512}, {1, 3, 40, 5}},
    {"huge", {64, 128, 352, 512}, {1, 5, 49, 5}},
};

/// Returns true for SOFT, which has neither keys of its own nor the parameters of another attention
/// in the same pyramid.
bool isSoft(const StateDict& state) {
  bool attends = false;
  for (const auto& entry : state.entries()) {
    if (!startsWith(entry.name, "block")) continue;
    const auto has = [&](const char* part) { return entry.name.find(part) != std::string::npos; };
    if (has(".att.mha.W_k.") || has(".att.mha.attn.projection") || has(".att.mha.attn.E.")) {
      return false;
    }
    attends = attends || has(".att.mha.W_") || has(".att.mha.attn.");
  }
  return attends;
}

/// Metadata key that says how SOFT's landmarks are computed if its parameters do not show it.
constexpr const char* landmarksKey = "landmarks";
constexpr const char* ratiosKey = "ratios";
constexpr const char* pooledPart = "pooled_";

/// Only a file's own metadata can say that its landmarks have no parameters; otherwise the file has
/// lost them.
bool saysPooledLandmarks(const ModelHints& hints) {
  const auto said = hints.metadata.find(landmarksKey);
  if (said != hints.metadata.end()) return said->second == nameOf(LandmarkSource::Pooled);
  return hints.architecture && startsWith(*hints.architecture, std::string("soft_") + pooledPart);
}

/// Reads stage `s`. `toldHeads` holds the heads of each stage from the file's metadata.
void readSoftStage(const ShapeReader& shapes, std::size_t s, const std::vector<int>& toldHeads,
                   SoftConfiguration& configuration) {
  const std::string stage = std::to_string(s + 1);
  const std::string kernel = "block" + stage + ".0.att.mha.attn.";
  const int channels = configuration.channels[s];
  if (!configuration.pooledLandmarks) {
    configuration.ratios[s] =
        shapes.size({kernel + "Qlandmark_op.weight"}, 2).value_or(configuration.ratios[s]);
  }
  const auto headWidth =
      shapes.size({kernel + "Qlandmark_op.weight", kernel + "Qnorm_act.0.weight"}, 0);
  auto heads = shapes.size({kernel + "conv.weight"}, 0);
  if (!heads && headWidth && *headWidth > 0) heads = channels / *headWidth;
  if (!heads && toldHeads.size() == configuration.heads.size()) heads = toldHeads[s];
  configuration.heads[s] = shapes.require(heads, "the heads of stage " + stage);
  configuration.convolutions[s] =
      shapes.size({kernel + "conv.weight"}, 2).value_or(configuration.convolutions[s]);
  if (configuration.convolutions[s] % 2 == 0 && configuration.convolutions[s] > 0) {
    throw ModelError("this looks like SOFT, but the filters beside the attention of stage " +
                     stage + " are " + std::to_string(configuration.convolutions[s]) +
                     " wide, and only an odd width keeps the map's size; the file may be damaged");
  }
  requireWholeHeads("SOFT", channels, configuration.heads[s], s + 1);
}

/// Returns `soft_tiny` for these channels and depths, with any attention; empty if no one has
/// published them.
std::string softSizeName(const SoftConfiguration& configuration) {
  const SoftConfiguration nano = nanoPyramid(0);
  if (nano.channels == configuration.channels && nano.depths == configuration.depths) {
    return "soft_nano";
  }
  const auto found = std::ranges::find_if(publishedSofts, [&](const PublishedSoft& variant) {
    return variant.channels == configuration.channels && variant.depths == configuration.depths;
  });
  return found == std::end(publishedSofts) ? "" : std::string("soft_") + found->size;
}

SoftConfiguration nanoSoft(SoftMechanism mechanism, bool pooledLandmarks) {
  SoftConfiguration nano = nanoPyramid(0);
  nano.mechanism = mechanism;
  nano.pooledLandmarks = pooledLandmarks;
  return nano;
}

/// Reads the ratios of pooled landmarks, because no shape gives the number of queries in a mean.
void readPooledRatios(const ModelHints& hints, SoftConfiguration& configuration) {
  const std::vector<int> told = numbersInMetadata(hints.metadata, ratiosKey);
  configuration.ratiosAssumed = told.size() != configuration.ratios.size();
  if (!configuration.ratiosAssumed) {
    std::copy(told.begin(), told.end(), configuration.ratios.begin());
  }
}

SoftConfiguration readSoftConfiguration(const StateDict& state, const ModelHints& hints) {
  const ShapeReader shapes(state, "SOFT");
  SoftConfiguration configuration = readSoftPyramid(shapes);
  configuration.pooledLandmarks = saysPooledLandmarks(hints);
  if (configuration.pooledLandmarks) readPooledRatios(hints, configuration);
  const std::vector<int> heads = numbersInMetadata(hints.metadata, "heads");
  for (std::size_t s = 0; s < 3; ++s) readSoftStage(shapes, s, heads, configuration);
  requireHeadsOfStages(configuration, hints);
  configuration.heads[3] = usualLastHeads(configuration);
  return configuration;
}

/// Only the heads of the last stage are not determined by shapes.
ResolvedHeads resolveSoftHeads(const SoftConfiguration& configuration, const ModelHints& hints) {
  const int usual = configuration.heads[3];
  const std::string name = softSizeName(configuration);
  const DefaultHeads none{.heads = usual,
                          .reason =
                              "no published SOFT has these channels and depths, and no weight "
                              "tells the heads of the last stage",
                          .possible = possibleHeads(configuration.channels[3])};
  const std::vector<int> channels(configuration.channels.begin(), configuration.channels.end());
  ResolvedHeads heads = resolveStageHeads(
      channels, name.empty() ? none : certainHeads(usual, "as in the published " + name), hints);
  // Weights determine the heads of the other stages, whatever the sources say.
  heads.setting.value = std::to_string(heads.heads);
  if (!heads.setting.choices.empty()) heads.setting.choices.front() = heads.setting.value;
  return heads;
}

/// Returns the metadata that readSoftConfiguration() needs besides names and shapes.
std::map<std::string, std::string> softMetadata(const SoftConfiguration& configuration) {
  std::map<std::string, std::string> metadata{{"heads", listedNumbers(configuration.heads)}};
  if (configuration.pooledLandmarks) {
    metadata[landmarksKey] = nameOf(LandmarkSource::Pooled);
    metadata[ratiosKey] = listedNumbers(configuration.ratios);
  }
  return metadata;
}

/// Returns SOFT++ for names that say so, and SOFT for a published variant of it; nothing for
/// `soft`, the family's name, which is all that many training scripts write.
std::optional<std::string> softMechanismNamedBy(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("norm") || has("++")) return mechanismName(SoftMechanism::SoftNorm);
  const bool published = std::any_of(
      std::begin(publishedSofts), std::end(publishedSofts),
      [&](const PublishedSoft& variant) { return name == std::string("soft_") + variant.size; });
  if (published) return mechanismName(SoftMechanism::Soft);
  return std::nullopt;
}

const MechanismNames& softNames() {
  static const MechanismNames names{
      .network = "SOFT",
      .mechanisms = {mechanismName(SoftMechanism::Soft), mechanismName(SoftMechanism::SoftNorm),
                     mechanismName(SoftMechanism::Gaussian)},
      .namedBy = softMechanismNamedBy};
  return names;
}

/// Returns `soft_norm_` for SOFT++, `soft_` for the others.
std::string variantPrefix(SoftMechanism mechanism) {
  return mechanism == SoftMechanism::SoftNorm ? "soft_norm_" : "soft_";
}

/// Returns the name under which Softscope trains a pyramid with nano's sizes.
std::string nanoName(const SoftConfiguration& configuration) {
  const char* landmarks = configuration.pooledLandmarks ? pooledPart : "";
  return variantPrefix(configuration.mechanism) + landmarks + "nano";
}

std::string softVariant(const SoftConfiguration& configuration) {
  if (configuration.pooledLandmarks) {
    const SoftConfiguration nano = nanoPyramid(0);
    const bool isNano = nano.channels == configuration.channels &&
                        nano.depths == configuration.depths && nano.heads == configuration.heads &&
                        nano.ratios == configuration.ratios;
    return isNano ? nanoName(configuration) : "custom";
  }
  for (const PublishedSoft& variant : publishedSofts) {
    if (variant.channels == configuration.channels && variant.depths == configuration.depths) {
      return variantPrefix(configuration.mechanism) + variant.size;
    }
  }
  return "custom";
}

/// Returns true if `softscope train` made the file.
bool isSoftOfSoftscope(const ModelHints& hints) {
  const auto name = hints.metadata.find("architecture");
  return name != hints.metadata.end() && startsWith(name->second, "soft_") &&
         name->second.ends_with("_nano");
}

/// Determines the steps of the inverse, an option of the authors' training.
void resolveNewtonSteps(SoftConfiguration& configuration, const ModelHints& hints,
                        ModelSummary& summary) {
  constexpr int most = 1000;
  const std::string steps = resolveStoredOption(
      {.key = "newton_maxiter",
       .usual = std::to_string(publishedNewtonSteps),
       .isCertain = !softSizeName(configuration).empty() || isSoftOfSoftscope(hints),
       .reason = "no published SOFT has these channels and depths, and no weight tells the steps "
                 "of its inverse",
       .network = "SOFT",
       .computed = {"a whole number from 0 to " + std::to_string(most)},
       .accepts =
           [](const std::string& text) {
             const auto number = parseNumber<int>(text);
             return number && *number >= 0 && *number <= most;
           }},
      hints, summary, configurationFor(configuration.channels[3], hints));
  configuration.newtonSteps = std::stoi(steps);
}

DefinedModel defineSoft(const StateDict& state, const ModelHints& hints) {
  SoftConfiguration configuration = readSoftConfiguration(state, hints);
  const ResolvedHeads heads = resolveSoftHeads(configuration, hints);
  configuration.heads[3] = heads.heads;
  const ResolvedMechanism decision = resolveMechanism(softNames(), hints);
  configuration.mechanism = *softMechanism(decision.mechanism);
  configuration.landmarks = hints.landmarks;

  ModelSummary summary;
  summary.family = "soft";
  summary.mechanism = decision.mechanism;
  summary.variant = softVariant(configuration);
  summary.alternatives = alternatives(softNames(), decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of SOFT, which SOFT++ shares; " + decision.reason + ".";
  describeHeads(heads, summary);
  if (configuration.mechanism != SoftMechanism::Gaussian) {
    resolveNewtonSteps(configuration, hints, summary);
  }
  if (configuration.pooledLandmarks) {
    summary.reason += " It was trained with means of queries as landmarks.";
    if (configuration.ratiosAssumed) {
      summary.settings.push_back(assumedRatios(configuration));
      summary.reason +=
          " Nothing says of how many, so SOFT's ratios are assumed; softscope convert --set "
          "ratios=A,B,C writes them into the file.";
    }
  }
  summary.counterfactual = summary.counterfactual || decision.counterfactual;
  summary.trainedWithPooledLandmarks = configuration.pooledLandmarks;
  summary.channels = configuration.channels[3];
  const bool isKnown = !softSizeName(configuration).empty() || isSoftOfSoftscope(hints);
  // Both are those of the last stage; the other stages' code fixes them.
  resolveHeadScale("SOFT", isKnown, hints, summary);
  resolveUsualLayers("SOFT", softLastEpsilon, isKnown, hints, summary);
  summary.classes = configuration.classes;
  // timm's default, with which SOFT was evaluated.
  summary.transform.cropFraction = 0.9;
  listSoftLayers(configuration, summary);
  DefinedModel model{std::move(summary), std::make_shared<SoftNetwork>(configuration)};
  model.publishedAs = softSizeName(configuration);
  return model;
}

TrainableArchitecture softArchitecture(const std::string& name,
                                       const SoftConfiguration& configuration) {
  TrainableArchitecture architecture;
  architecture.name = name;
  architecture.mechanism = mechanismName(configuration.mechanism);
  architecture.define = [configuration](int classes) {
    SoftConfiguration sizes = configuration;
    sizes.classes = classes;
    return std::make_shared<SoftNetwork>(sizes);
  };
  architecture.metadata = softMetadata(configuration);
  architecture.resized = [name, configuration](const ArchitectureSizes& sizes) {
    return softArchitecture(name, resizedPyramid(configuration, sizes));
  };
  return architecture;
}

/// Returns SOFT and SOFT++ with either kind of landmarks, `soft_nano` to `soft_norm_pooled_nano`,
/// for pictures of 128 x 128.
std::vector<TrainableArchitecture> trainableSoft() {
  std::vector<TrainableArchitecture> trainable;
  for (const SoftConfiguration& nano :
       {nanoSoft(SoftMechanism::Soft, false), nanoSoft(SoftMechanism::SoftNorm, false),
        nanoSoft(SoftMechanism::Soft, true), nanoSoft(SoftMechanism::SoftNorm, true)}) {
    trainable.push_back(softArchitecture(nanoName(nano), nano));
  }
  return trainable;
}

}  // namespace

Family softFamily() {
  return {.name = "soft",
          .networks = "SOFT, SOFT++",
          .attention = "Gaussian kernel through landmarks",
          .recognises = isSoft,
          .define = defineSoft,
          .trainable = trainableSoft};
}

}  // namespace softscope
