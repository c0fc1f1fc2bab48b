#include "models/Soft.h"

#include "core/Error.h"
#include "models/ShapeReader.h"
#include "models/SoftNetwork.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace softscope {

namespace {

struct PublishedVariant {
  const char* size;
  std::array<int, 4> channels;
  std::array<int, 4> depths;
};

constexpr PublishedVariant publishedVariants[] = {
    {"tiny", {64, 128, 320, 512}, {1, 2, 3, 2}},    {"small", {64, 128, 320, 512}, {1, 3, 20, 4}},
    {"medium", {64, 128, 288, 512}, {1, 3, 29, 5}}, {"large", {64, 128, 320, 512}, {1, 3, 40, 5}},
    {"huge", {64, 128, 352, 512}, {1, 5, 49, 5}},
};

bool isSoft(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, "block") &&
           (entry.name.find(".att.mha.W_") != std::string::npos ||
            entry.name.find(".att.mha.attn.") != std::string::npos);
  });
}

void readSoftStage(const ShapeReader& shapes, std::size_t s, SoftConfiguration& configuration) {
  const std::string stage = std::to_string(s + 1);
  const std::string block = "block" + stage + ".0.att.";
  const std::string kernel = block + "mha.attn.";
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
  configuration.hidden[s] =
      shapes.size({block + "ff1.weight", block + "ff1.bias"}, 0).value_or(4 * channels);
  if (channels % configuration.heads[s] != 0) {
    throw ModelError("this looks like SOFT, but " + std::to_string(channels) +
                     " channels do not divide among " + std::to_string(configuration.heads[s]) +
                     " heads in stage " + stage);
  }
}

int lastStageHeads(const SoftConfiguration& configuration, std::optional<int> asked) {
  const int channels = configuration.channels[3];
  if (asked) {
    if (*asked < 1 || channels % *asked != 0) {
      throw ModelError(std::to_string(channels) + " channels do not divide among " +
                       std::to_string(*asked) + " heads; choose another --heads");
    }
    return *asked;
  }
  const int width = configuration.channels[2] / configuration.heads[2];
  if (channels % width == 0) return channels / width;
  return channels % 32 == 0 ? channels / 32 : 1;
}

SoftConfiguration readConfiguration(const StateDict& state, const ModelHints& hints) {
  const ShapeReader shapes(state, "SOFT");
  SoftConfiguration configuration;
  for (std::size_t s = 0; s < SoftConfiguration::stages; ++s) {
    const std::string stage = std::to_string(s + 1);
    const std::string embedding = "patch_embed" + stage + ".proj." + (s == 0 ? "6" : "0");
    configuration.channels[s] =
        shapes.require(shapes.size({embedding + ".weight", embedding + ".bias"}, 0),
                       "the channels of stage " + stage);
    configuration.depths[s] =
        shapes.require(shapes.count("block" + stage + "."), "the blocks of stage " + stage);
    configuration.positions[s] =
        shapes.size({"pos_embed" + stage}, 1).value_or(configuration.positions[s]);
    if (s < 3) readSoftStage(shapes, s, configuration);
  }
  configuration.hidden[3] = shapes.size({"block4.0.mlp.fc1.weight", "block4.0.mlp.fc1.bias"}, 0)
                                .value_or(4 * configuration.channels[3]);
  configuration.queryBias =
      state.contains("block4.0.attn.q.bias") || state.contains("block4.0.attn.kv.bias");
  configuration.stem = shapes.size({"patch_embed1.proj.0.weight", "patch_embed1.proj.0.bias"}, 0)
                           .value_or(configuration.stem);
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
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

SoftMechanism mechanismOf(const std::string& name) {
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
      std::begin(publishedVariants), std::end(publishedVariants),
      [&](const auto& variant) { return architecture == std::string("soft_") + variant.size; });
  if (published) return "soft";
  return std::nullopt;
}

/// What the file itself says about its training: its metadata first, then its name.
std::optional<Decision> trainedMechanism(const ModelHints& hints) {
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

Decision decideMechanism(const ModelHints& hints) {
  if (hints.attention) {
    return {canonicalMechanism(lowerCase(*hints.attention)), 1.0, "chosen with --attention"};
  }
  if (hints.architecture && namesSoftNorm(*hints.architecture)) {
    return {"soft++", 1.0, "chosen with --arch"};
  }
  if (const auto trained = trainedMechanism(hints)) return *trained;
  return {"soft", 0.5, "nothing says which of the two was trained, so SOFT is assumed"};
}

std::string variantOf(const SoftConfiguration& configuration, const std::string& mechanism) {
  for (const PublishedVariant& variant : publishedVariants) {
    if (variant.channels == configuration.channels && variant.depths == configuration.depths) {
      return (mechanism == "soft++" ? "soft_norm_" : "soft_") + std::string(variant.size);
    }
  }
  return "custom";
}

void listLayers(const SoftConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < SoftConfiguration::stages; ++s) {
    for (int depth = 0; depth < configuration.depths[s]; ++depth) {
      const std::string block = "block" + std::to_string(s + 1) + "." + std::to_string(depth);
      summary.layers.push_back({.name = block + (s < 3 ? ".att.mha.attn" : ".attn"),
                                .mechanism = s < 3 ? summary.mechanism : "softmax",
                                .stage = static_cast<int>(s) + 1,
                                .heads = configuration.heads[s]});
    }
  }
}

DefinedModel defineSoft(const StateDict& state, const ModelHints& hints) {
  SoftConfiguration configuration = readConfiguration(state, hints);
  const Decision decision = decideMechanism(hints);
  configuration.mechanism = mechanismOf(decision.mechanism);
  const auto trained = trainedMechanism(hints);

  ModelSummary summary;
  summary.family = "soft";
  summary.mechanism = decision.mechanism;
  summary.variant = variantOf(configuration, decision.mechanism);
  summary.alternatives = {"soft", "soft++", "gaussian"};
  std::stable_partition(summary.alternatives.begin(), summary.alternatives.end(),
                        [&](const std::string& name) { return name == decision.mechanism; });
  summary.confidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of SOFT, which SOFT++ shares; " + decision.reason + ".";
  summary.counterfactual =
      decision.mechanism == "gaussian" || (trained && trained->mechanism != decision.mechanism);
  summary.heads.assign(configuration.heads.begin(), configuration.heads.end());
  summary.classes = configuration.classes;
  // timm's default, with which SOFT was evaluated.
  summary.transform.cropFraction = 0.9;
  listLayers(configuration, summary);
  return {std::move(summary), std::make_shared<SoftNetwork>(configuration)};
}

}  // namespace

Family softFamily() {
  return {"soft", isSoft, defineSoft};
}

}  // namespace softscope
