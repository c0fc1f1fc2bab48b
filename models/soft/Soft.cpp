#include "models/soft/Soft.h"

#include "core/Error.h"
#include "models/identify/ShapeReader.h"
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

/// SOFT has no keys of its own, nor the parameters of another attention in the same pyramid.
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

void readSoftStage(const ShapeReader& shapes, std::size_t s, SoftConfiguration& configuration) {
  const std::string stage = std::to_string(s + 1);
  const std::string kernel = "block" + stage + ".0.att.mha.attn.";
  const int channels = configuration.channels[s];
  configuration.ratios[s] =
      shapes.size({kernel + "Qlandmark_op.weight"}, 2).value_or(configuration.ratios[s]);
  const auto headWidth =
      shapes.size({kernel + "Qlandmark_op.weight", kernel + "Qnorm_act.0.weight"}, 0);
  auto heads = shapes.size({kernel + "conv.weight"}, 0);
  if (!heads && headWidth && *headWidth > 0) heads = channels / *headWidth;
  configuration.heads[s] = shapes.require(heads, "the heads of stage " + stage);
  configuration.convolutions[s] =
      shapes.size({kernel + "conv.weight"}, 2).value_or(configuration.convolutions[s]);
  if (configuration.convolutions[s] % 2 == 0 && configuration.convolutions[s] > 0) {
    throw ModelError("this looks like SOFT, but the filters beside the attention of stage " +
                     stage + " are " + std::to_string(configuration.convolutions[s]) +
                     " wide, and only an odd width keeps the map's size; the file may be damaged");
  }
  if (channels % configuration.heads[s] != 0) {
    throw ModelError("this looks like SOFT, but " + std::to_string(channels) +
                     " channels do not divide among " + std::to_string(configuration.heads[s]) +
                     " heads in stage " + stage);
  }
}

SoftConfiguration nanoSoft(int classes, SoftMechanism mechanism) {
  SoftConfiguration nano = nanoPyramid(classes);
  nano.mechanism = mechanism;
  return nano;
}

SoftConfiguration readSoftConfiguration(const StateDict& state, const ModelHints& hints) {
  const ShapeReader shapes(state, "SOFT");
  SoftConfiguration configuration = readSoftPyramid(shapes);
  for (std::size_t s = 0; s < 3; ++s) readSoftStage(shapes, s, configuration);
  configuration.heads[3] = lastStageHeads(configuration, hints.heads);
  return configuration;
}

bool namesSoftNorm(const std::string& text) {
  const std::string lower = lowerCase(text);
  return lower.find("norm") != std::string::npos || lower.find("++") != std::string::npos;
}

std::string canonicalMechanism(const std::string& name) {
  return name == "soft_norm" ? "soft++" : name;
}

SoftMechanism softMechanismOf(const std::string& name) {
  if (name == "soft") return SoftMechanism::Soft;
  if (name == "soft++") return SoftMechanism::SoftNorm;
  if (name == "gaussian") return SoftMechanism::Gaussian;
  throw ModelError("SOFT's weights allow --attention soft, soft++ or gaussian, not \"" + name +
                   "\"");
}

struct Decision {
  std::string mechanism;
  double confidence = 1;
  std::string reason;
};

/// What a model's name in metadata says: nothing for `soft`, the family's, which is all that many
/// training scripts write.
std::optional<std::string> mechanismNamedBy(const std::string& architecture) {
  if (!startsWith(architecture, "soft")) return std::nullopt;
  if (namesSoftNorm(architecture)) return "soft++";
  const bool published = std::any_of(
      std::begin(publishedSofts), std::end(publishedSofts),
      [&](const auto& variant) { return architecture == std::string("soft_") + variant.size; });
  if (published) return "soft";
  return std::nullopt;
}

/// What the file itself says about its training: its metadata first, then its name.
std::optional<Decision> trainedSoftMechanism(const ModelHints& hints) {
  const auto mechanism = hints.metadata.find("mechanism");
  if (mechanism != hints.metadata.end()) {
    return Decision{canonicalMechanism(lowerCase(mechanism->second)), 1.0,
                    "the file's metadata says " + mechanism->second};
  }
  for (const char* key : {"architecture", "arch", "model", "args.model"}) {
    const auto found = hints.metadata.find(key);
    if (found == hints.metadata.end()) continue;
    if (const auto named = mechanismNamedBy(lowerCase(found->second))) {
      return Decision{*named, 1.0,
                      "the file's metadata says " + std::string(key) + " = " + found->second};
    }
  }
  if (namesSoftNorm(hints.fileName)) {
    return Decision{"soft++", 0.9, "the file's name, " + hints.fileName + ", says SOFT++"};
  }
  return std::nullopt;
}

Decision resolveSoftMechanism(const ModelHints& hints) {
  if (hints.attention) {
    return {canonicalMechanism(lowerCase(*hints.attention)), 1.0, "chosen with --attention"};
  }
  if (hints.architecture) {
    if (const auto named = mechanismNamedBy(lowerCase(*hints.architecture))) {
      return {*named, 1.0, "chosen with --arch"};
    }
  }
  if (const auto trained = trainedSoftMechanism(hints)) return *trained;
  return {"soft", 0.5, "nothing says which of the two was trained, so SOFT is assumed"};
}

std::string softVariant(const SoftConfiguration& configuration, const std::string& mechanism) {
  for (const PublishedSoft& variant : publishedSofts) {
    if (variant.channels == configuration.channels && variant.depths == configuration.depths) {
      return (mechanism == "soft++" ? "soft_norm_" : "soft_") + std::string(variant.size);
    }
  }
  return "custom";
}

DefinedModel defineSoft(const StateDict& state, const ModelHints& hints) {
  SoftConfiguration configuration = readSoftConfiguration(state, hints);
  const Decision decision = resolveSoftMechanism(hints);
  configuration.mechanism = softMechanismOf(decision.mechanism);
  const auto trained = trainedSoftMechanism(hints);

  ModelSummary summary;
  summary.family = "soft";
  summary.mechanism = decision.mechanism;
  summary.variant = softVariant(configuration, decision.mechanism);
  summary.alternatives = {"soft", "soft++", "gaussian"};
  std::stable_partition(summary.alternatives.begin(), summary.alternatives.end(),
                        [&](const std::string& name) { return name == decision.mechanism; });
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of SOFT, which SOFT++ shares; " + decision.reason + ".";
  summary.counterfactual =
      decision.mechanism == "gaussian" || (trained && trained->mechanism != decision.mechanism);
  summary.classes = configuration.classes;
  // timm's default, with which SOFT was evaluated.
  summary.transform.cropFraction = 0.9;
  listSoftLayers(configuration, summary);
  return {std::move(summary), std::make_shared<SoftNetwork>(configuration)};
}

/// `soft_nano` and `soft_norm_nano`, for pictures of 128 x 128.
std::vector<TrainableArchitecture> trainableSoft() {
  std::vector<TrainableArchitecture> trainable;
  for (const std::string mechanism : {"soft", "soft++"}) {
    TrainableArchitecture architecture;
    architecture.name = mechanism == "soft++" ? "soft_norm_nano" : "soft_nano";
    architecture.mechanism = mechanism;
    architecture.define = [mechanism](int classes) {
      return std::make_shared<SoftNetwork>(nanoSoft(classes, softMechanismOf(mechanism)));
    };
    trainable.push_back(std::move(architecture));
  }
  return trainable;
}

}  // namespace

Family softFamily() {
  return {"soft", isSoft, defineSoft, trainableSoft};
}

}  // namespace softscope
