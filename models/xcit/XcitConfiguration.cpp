#include "models/xcit/XcitConfiguration.h"

#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/xcit/XcitNetwork.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <utility>

namespace softscope {

namespace {

struct PublishedWidth {
  const char* size;
  int channels;
  int heads;
  std::initializer_list<int> depths;
};

const PublishedWidth publishedWidths[] = {
    {"nano", 128, 4, {12}},   {"tiny", 192, 4, {12, 24}}, {"small", 384, 8, {12, 24}},
    {"medium", 512, 8, {24}}, {"large", 768, 16, {24}},
};

const PublishedWidth* publishedWidth(int channels) {
  const auto found =
      std::find_if(std::begin(publishedWidths), std::end(publishedWidths),
                   [&](const PublishedWidth& width) { return width.channels == channels; });
  return found == std::end(publishedWidths) ? nullptr : found;
}

int readChannels(const ShapeReader& shapes) {
  const auto last =
      shapes.size({"norm.weight", "norm.bias", "blocks.0.norm1.weight", "blocks.0.norm1.bias"}, 0);
  return shapes.require(last ? last : shapes.size({"cls_token"}, 2), "its width");
}

/// Returns the hidden width of the mlp in the block whose path is `block`.
int readHidden(const ShapeReader& shapes, const std::string& block, int channels) {
  const std::string mlp = block + ".mlp.";
  if (const auto width = shapes.size({mlp + "fc1.weight", mlp + "fc1.bias"}, 0)) return *width;
  return shapes.size({mlp + "fc2.weight"}, 1).value_or(4 * channels);
}

int readStemConvolutions(const ShapeReader& shapes, int channels) {
  // Convolutions have even numbers; activations lie in between.
  const int places = shapes.require(shapes.count("patch_embed.proj."), "the size of its patches");
  const int convolutions = (places + 1) / 2;
  if (convolutions > 5 || channels % (1 << (convolutions - 1)) != 0) {
    throw ModelError("this looks like XCiT's patch embedding, but " + std::to_string(convolutions) +
                     " convolutions cannot double their width up to " + std::to_string(channels));
  }
  return convolutions;
}

int readClassBlocks(const ShapeReader& shapes) {
  // A detector's backbone has none of these; a damaged file has some.
  const bool classifies = shapes.any("cls_token") || shapes.any("norm.") || shapes.any("head.");
  const int found = shapes.count("cls_attn_blocks.");
  return classifies && found == 0 ? 2 : found;
}

bool readLocalInteraction(const ShapeReader& shapes) {
  const auto suffixes = {".gamma3", ".norm3.weight", ".norm3.bias", ".local_mp.conv1.weight",
                         ".local_mp.conv2.weight"};
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](const char* suffix) { return shapes.any("blocks.", suffix); });
}

/// Returns the heads from the temperature of any block that has one, or else 0.
int readTemperature(const ShapeReader& shapes, int depth) {
  for (int i = 0; i < depth; ++i) {
    if (const auto heads = shapes.size({"blocks." + std::to_string(i) + ".attn.temperature"}, 0)) {
      return *heads;
    }
  }
  return 0;
}

std::string xcitVariant(const std::string& family, const XcitConfiguration& configuration) {
  const std::string size = publishedXcitSize(configuration);
  const PublishedWidth* width = publishedWidth(configuration.channels);
  const bool isPublished = !size.empty() && width->heads == configuration.heads &&
                           configuration.activation == Activation::Gelu;
  return isPublished ? family + "_" + size : "custom";
}

/// Returns true if `softscope train` made the file.
bool isXcitOfSoftscope(const ModelHints& hints) {
  return hints.metadata.count("architecture") > 0 &&
         hints.metadata.at("architecture").ends_with("_xcit_nano");
}

/// timm's argument: whether class attention normalises all tokens before its mlp.
constexpr const char* classNormKey = "tokens_norm";

/// Returns what config.json or the file's metadata say of it. timm's names say which it is at any
/// width, unless the arguments beside the name do.
std::optional<bool> toldClassNorm(const ConfigurationFile* said, const ModelHints& hints) {
  if (const auto told = toldFlag(classNormKey, said, hints)) return told;
  if (said == nullptr || !said->architecture.starts_with("xcit_")) return std::nullopt;
  return !said->architecture.starts_with("xcit_nano_");
}

/// Returns what class attention normalises before its mlp as a setting without an option, if it is
/// told or guessed: no weight tells it.
std::optional<NetworkSetting> describedClassNorm(const XcitConfiguration& configuration,
                                                 const ModelHints& hints) {
  if (configuration.classBlocks == 0) return std::nullopt;
  const std::string value = configuration.normalisesAllTokens() ? "true" : "false";
  if (configuration.isToldToNormaliseAll) return toldSetting(classNormKey, value, hints);
  if (!publishedXcitSize(configuration).empty() || isXcitOfSoftscope(hints)) return std::nullopt;
  return NetworkSetting{
      .option = classNormKey,
      .value = value,
      .source = "assumed",
      .choices = {},
      .why =
          "XCiT-Nano normalises the class token alone before the mlp of its class attention, "
          "and others all tokens, which config.json or the file's metadata tell, and no weight "
          "does"};
}

/// Only GELU was published, but SimA's authors also try ReLU ("SimA: Simple Softmax-free Attention
/// for Vision Transformers", 2022, arXiv 2206.08898, Section 4.5).
NetworkSetting activationOf(const std::string& family, const XcitConfiguration& configuration,
                            const ConfigurationFile* said, const ModelHints& hints) {
  const std::string size = publishedXcitSize(configuration);
  const bool isOurs = isXcitOfSoftscope(hints);
  SettingKnowledge known =
      knownOfPublished("network", !size.empty(), configuration.hasTimmNames ? said : nullptr);
  known.option = "activation";
  known.usual = "gelu";
  known.isCertain = known.isCertain || isOurs;
  if (!size.empty()) known.reason = "as in the published " + family + "_" + size;
  if (isOurs) known.reason = "as softscope train has it";
  known.choices = {"gelu", "relu"};
  return resolveSetting(known, hints);
}

/// The authors' code, unlike timm's, creates the weights of the positions' codes even if it does
/// not use them.
bool resolvePositions(const std::string& network, const XcitConfiguration& configuration,
                      const ConfigurationFile* said, const ModelHints& hints,
                      ModelSummary& summary) {
  if (configuration.hasTimmNames) return true;
  const bool isCertain = !publishedXcitSize(configuration).empty() || isXcitOfSoftscope(hints);
  return resolveStoredOption({.key = "use_pos",
                              .usual = "true",
                              .isCertain = isCertain,
                              .reason = "no published network has these sizes, and the weights of "
                                        "positions are in a file even if they are not used",
                              .network = network,
                              .computed = {"true", "false"}},
                             hints, summary, said) == "true";
}

void listXcitLayers(const XcitConfiguration& configuration, ModelSummary& summary) {
  const auto add = [&](const std::string& blocks, int count, const std::string& mechanism) {
    for (int i = 0; i < count; ++i) {
      summary.layers.push_back({.name = blocks + std::to_string(i) + ".attn",
                                .mechanism = mechanism,
                                .stage = 1,
                                .heads = configuration.heads});
    }
  };
  add("blocks.", configuration.depth, mechanismName(configuration.mechanism));
  add("cls_attn_blocks.", configuration.classBlocks, classMechanismName(configuration.mechanism));
}

}  // namespace

bool hasXcitNames(const StateDict& state) {
  const ShapeReader shapes(state, "XCiT");
  return shapes.any("cls_attn_blocks.") || shapes.any("pos_embed.token_projection.") ||
         shapes.any("pos_embeder.") || shapes.any("patch_embed.proj.0.0.") ||
         shapes.any("blocks.", ".local_mp.conv1.weight");
}

bool hasXcitTemperature(const StateDict& state) {
  return ShapeReader(state, "XCiT").any("blocks.", ".attn.temperature");
}

XcitConfiguration readXcitConfiguration(const StateDict& state, const std::string& network) {
  const ShapeReader shapes(state, network);
  XcitConfiguration configuration;
  const int channels = readChannels(shapes);
  configuration.channels = channels;
  configuration.depth = shapes.require(shapes.count("blocks."), "the number of its blocks");
  configuration.classBlocks = readClassBlocks(shapes);
  configuration.hidden = readHidden(shapes, "blocks.0", channels);
  configuration.classHidden = readHidden(shapes, "cls_attn_blocks.0", channels);
  configuration.stemConvolutions = readStemConvolutions(shapes, channels);
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  configuration.queryBias = shapes.any("blocks.", ".attn.qkv.bias") ||
                            shapes.any("cls_attn_blocks.", ".attn.qkv.bias") ||
                            shapes.any("cls_attn_blocks.", ".attn.q.bias");
  configuration.localInteraction = readLocalInteraction(shapes);
  configuration.hasTimmNames =
      shapes.any("pos_embed.token_projection.") || shapes.any("cls_attn_blocks.", ".attn.q.weight");
  configuration.heads = readTemperature(shapes, configuration.depth);
  return configuration;
}

std::string publishedXcitSize(const XcitConfiguration& configuration) {
  const PublishedWidth* width = publishedWidth(configuration.channels);
  const int depth = configuration.depth;
  const int patch = configuration.patch();
  const bool published =
      width != nullptr &&
      std::find(width->depths.begin(), width->depths.end(), depth) != width->depths.end() &&
      (patch == 8 || patch == 16) && configuration.classBlocks != 1 &&
      configuration.hidden == 4 * configuration.channels && configuration.localInteraction;
  if (!published) return {};
  return std::string(width->size) + "_" + std::to_string(depth) + "_p" + std::to_string(patch);
}

std::optional<int> publishedXcitHeads(int channels) {
  const PublishedWidth* width = publishedWidth(channels);
  if (width == nullptr) return std::nullopt;
  return width->heads;
}

std::vector<std::string> harmlessXcitExtras() {
  return {
      "head.mlp.*", "head.last_layer*",  // DINO's projections, which are not classifiers
      "fpn?.*",                          // feature pyramids, which follow the network in detectors
  };
}

DefinedModel defineXcitModel(const std::string& family, const std::string& network,
                             XcitConfiguration configuration, const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  if (configuration.hasTimmNames) requireConfigured(said, "use_pos_embed", {"true"}, network);
  configuration.isToldToNormaliseAll = toldClassNorm(said, hints);
  const NetworkSetting activation = activationOf(family, configuration, said, hints);
  configuration.activation = activationOfOption(activation.value);
  ModelSummary summary;
  summary.family = family;
  summary.variant = xcitVariant(family, configuration);
  summary.mechanism = mechanismName(configuration.mechanism);
  summary.alternatives = {summary.mechanism};
  summary.heads = {configuration.heads};
  describeSetting(activation, summary);
  if (configuration.classes > 0) {
    // The authors' code, unlike timm's, knows no other head than that of the class token.
    const bool isCertain = !configuration.hasTimmNames || !publishedXcitSize(configuration).empty();
    if (const auto pooling = resolveClassPooling(network, isCertain, said, hints)) {
      configuration.poolsPatches = pooling->value == "mean";
      describeSetting(*pooling, summary);
    }
  }
  if (const auto norm = describedClassNorm(configuration, hints)) describeSetting(*norm, summary);
  configuration.addsPositions = resolvePositions(network, configuration, said, hints, summary);
  summary.channels = configuration.channels;
  summary.classes = configuration.classes;
  // The attention of the blocks themselves has no scale.
  const bool isKnown = !publishedXcitSize(configuration).empty() || isXcitOfSoftscope(hints);
  if (configuration.classBlocks > 0) resolveHeadScale(network, isKnown, hints, summary);
  // Both papers evaluate without the usual margin of 1/8, and publish some models for 384 pixels.
  summary.transform.cropFraction = 1.0;
  if (hints.fileName.find("384") != std::string::npos) {
    summary.transform.height = 384;
    summary.transform.width = 384;
  }
  listXcitLayers(configuration, summary);
  DefinedModel model{std::move(summary), std::make_shared<XcitNetwork>(configuration)};
  const std::string size = publishedXcitSize(configuration);
  if (!size.empty()) model.publishedAs = family + "_" + size;
  return model;
}

}  // namespace softscope
