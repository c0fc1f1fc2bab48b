#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/mobilevit/MobileVitNetwork.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedMobileVit {
  const char* size;
  std::array<int, 3> widths;
};

/// Published networks for segmentation have other numbers of classes.
constexpr int classesOfImageNet = 1000;

constexpr PublishedMobileVit publishedMobileVits[] = {{"mobilevit_small", {144, 192, 240}},
                                                      {"mobilevit_x_small", {96, 120, 144}},
                                                      {"mobilevit_xx_small", {64, 80, 96}}};

/// Returns what precedes the encoder's names: `mobilevit.`, or nothing.
std::optional<std::string> mobileVitPrefix(const StateDict& state) {
  const auto before = textBefore(state, "encoder.layer.");
  const bool isIt = before && anyContains(state, ".conv_kxk.convolution.") &&
                    anyContains(state, ".transformer.layer.0.attention.attention.query.");
  return isIt ? before : std::nullopt;
}

MobileVitStage::Residual readResidual(const ShapeReader& shapes, const std::string& path) {
  MobileVitStage::Residual sizes;
  sizes.outputs = shapes.require(
      shapes.size(
          {path + ".reduce_1x1.convolution.weight", path + ".reduce_1x1.normalization.weight"}, 0),
      "the channels of " + path);
  sizes.hidden = shapes.require(
      shapes.size({path + ".expand_1x1.convolution.weight", path + ".conv_3x3.convolution.weight",
                   path + ".expand_1x1.normalization.weight"},
                  0),
      "the hidden channels of " + path);
  return sizes;
}

MobileVitStage readMobileVitStage(const ShapeReader& shapes, const std::string& path, int index) {
  MobileVitStage stage;
  stage.isStrided = index > 0;
  stage.depth = shapes.count(path + ".transformer.layer.");
  if (stage.depth > 0) {
    stage.residuals.push_back(readResidual(shapes, path + ".downsampling_layer"));
    stage.width = shapes.require(
        shapes.size({path + ".layernorm.weight", path + ".conv_1x1.convolution.weight"}, 0),
        "the width of " + path);
    const std::string mlp = path + ".transformer.layer.0.intermediate.dense.";
    stage.hidden = shapes.size({mlp + "weight", mlp + "bias"}, 0).value_or(2 * stage.width);
    return stage;
  }
  const int residuals = shapes.require(shapes.count(path + ".layer."), "the blocks of " + path);
  for (int i = 0; i < residuals; ++i) {
    stage.residuals.push_back(readResidual(shapes, path + ".layer." + std::to_string(i)));
  }
  return stage;
}

MobileVitConfiguration readMobileVit(const StateDict& state) {
  const ShapeReader shapes(state, "MobileViT");
  MobileVitConfiguration configuration;
  configuration.prefix = mobileVitPrefix(state).value_or("");
  const std::string& prefix = configuration.prefix;
  configuration.stem =
      shapes.require(shapes.size({prefix + "conv_stem.convolution.weight"}, 0), "its stem");
  const std::string list = prefix + "encoder.layer.";
  const int stages = shapes.require(shapes.count(list), "its stages");
  for (int i = 0; i < stages; ++i) {
    configuration.stages.push_back(readMobileVitStage(shapes, list + std::to_string(i), i));
    const auto kernel = shapes.size({list + std::to_string(i) + ".conv_kxk.convolution.weight"}, 2);
    configuration.kernel = std::max(1, kernel.value_or(configuration.kernel));
  }
  configuration.last = shapes.size({prefix + "conv_1x1_exp.convolution.weight"}, 0).value_or(0);
  configuration.classes = shapes.size({"classifier.weight", "classifier.bias"}, 0).value_or(0);
  return configuration;
}

std::vector<int> mobileVitWidths(const MobileVitConfiguration& configuration) {
  std::vector<int> widths;
  for (const MobileVitStage& stage : configuration.stages) {
    if (stage.depth > 0) widths.push_back(stage.width);
  }
  return widths;
}

std::string mobileVitVariant(const std::vector<int>& widths) {
  for (const PublishedMobileVit& variant : publishedMobileVits) {
    if (std::ranges::equal(variant.widths, widths)) return variant.size;
  }
  return "custom";
}

/// All stages have the same number of heads; every published network has 4.
DefaultHeads mobileVitHeads(const std::vector<int>& widths) {
  constexpr int published = 4;
  const std::string variant = mobileVitVariant(widths);
  if (variant != "custom") return certainHeads(published, "as in the published " + variant);
  int shared = 0;
  for (const int width : widths) shared = std::gcd(shared, width);
  DefaultHeads usual{.heads = published, .reason = {}, .possible = possibleHeads(shared)};
  if (shared % published != 0) usual.heads = usual.possible.back();
  usual.reason = "no published MobileViT has these widths, and no weight tells the heads";
  return usual;
}

void requireHeadsOfAllStages(const std::vector<int>& widths, int heads) {
  for (const int width : widths) requireDivisibleHeads(width, heads);
}

NetworkSetting resolveMobileVitEpsilon(MobileVitConfiguration& configuration,
                                       const std::vector<int>& widths, const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(widths.back(), hints);
  SettingKnowledge known =
      knownOfPublished("MobileViT", mobileVitVariant(widths) != "custom", said);
  const auto told = said != nullptr ? said->epsilon : std::nullopt;
  return resolveEpsilon(std::move(known), told, hints, configuration.epsilon);
}

/// Throws ModelError if config.json says what no published network has: another activation than
/// SiLU, patches of other than 2 x 2 pixels of a map, or last stages that are dilated instead of
/// strided.
void requirePublishedParts(const ConfigurationFile* said) {
  requireConfigured(said, "hidden_act", {"silu", "swish"}, "MobileViT");
  requireConfigured(said, "patch_size", {"2"}, "MobileViT");
  requireConfigured(said, "output_stride", {"32"}, "MobileViT");
}

/// Says without a config.json that those parts are assumed. Networks for segmentation of published
/// sizes have other strides, so that a classifier alone tells which are published.
void describePublishedParts(const MobileVitConfiguration& configuration,
                            const std::vector<int>& widths, const ConfigurationFile* said,
                            const ModelHints& hints, ModelSummary& summary) {
  if (namesNetwork(said)) return;
  const bool isPublished = mobileVitVariant(widths) != "custom";
  resolveFixedOption({"hidden_act", "silu", "MobileViT"}, isPublished, said, hints, summary);
  resolveFixedOption({"output_stride", "32", "MobileViT"},
                     isPublished && configuration.classes == classesOfImageNet, said, hints,
                     summary);
}

DefinedModel defineMobileVit(const StateDict& state, const ModelHints& hints) {
  requireOnly("MobileViT", "softmax_offset", hints);
  MobileVitConfiguration configuration = readMobileVit(state);
  const std::vector<int> widths = mobileVitWidths(configuration);
  if (widths.empty()) throw ModelError("this looks like MobileViT, but no stage has a transformer");
  const ConfigurationFile* said = configurationFor(widths.back(), hints);
  requirePublishedParts(said);
  const ResolvedHeads heads = resolveHeads(widths.back(), mobileVitHeads(widths), hints);
  requireHeadsOfAllStages(widths, heads.heads);
  configuration.heads = heads.heads;
  const NetworkSetting epsilon = resolveMobileVitEpsilon(configuration, widths, hints);
  ModelSummary summary;
  summary.family = "mobilevit";
  summary.variant = mobileVitVariant(widths);
  summary.setOnlyMechanism("softmax_offset");
  summary.reason = "Names and shapes are those of MobileViT in Hugging Face's library.";
  describeHeads(heads, summary);
  describeSetting(epsilon, summary);
  describePublishedParts(configuration, widths, said, hints, summary);
  summary.heads = {configuration.heads};
  summary.channels = widths.back();
  summary.classes = configuration.classes;
  summary.transform.height = summary.transform.width = 256;
  summary.transform.cropFraction = 256.0 / 288;
  summary.transform.filter = InputTransform::Filter::Bilinear;
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    for (int i = 0; i < configuration.stages[s].depth; ++i) {
      summary.layers.push_back({.name = configuration.prefix + "encoder.layer." +
                                        std::to_string(s) + ".transformer.layer." +
                                        std::to_string(i) + ".attention",
                                .mechanism = "softmax_offset",
                                .stage = static_cast<int>(s) + 1,
                                .heads = configuration.heads});
    }
  }
  DefinedModel model{std::move(summary), std::make_shared<MobileVitNetwork>(configuration)};
  model.pixelNorms = {"none"};
  model.part = configuration.prefix;
  return model;
}

}  // namespace

Family mobileVitFamily() {
  return {.name = "mobilevit",
          .networks = "MobileViT",
          .attention = "softmax",
          .recognises = [](const StateDict& state) { return mobileVitPrefix(state).has_value(); },
          .define = defineMobileVit,
          .modelTypes = {"mobilevit"}};
}

}  // namespace softscope
