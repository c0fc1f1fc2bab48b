#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/GivenNames.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

constexpr const char* visionModel = "vision_model.";
constexpr const char* noNormBefore = "no_ln_pre";

/// Returns what precedes the names of Hugging Face's network for pictures; nothing for other names.
std::optional<std::string> huggingFaceTower(const StateDict& state) {
  const auto tower = textBefore(state, "embeddings.class_embedding");
  if (!tower || !anyContains(state, *tower + "pre_layrnorm.")) return std::nullopt;
  return anyContains(state, ".self_attn.q_proj.") ? tower : std::nullopt;
}

/// Returns what precedes the names of OpenAI's network for pictures, `visual.`; nothing for others,
/// such as CLIP's ResNets.
std::optional<std::string> openAiTower(const StateDict& state) {
  const auto tower = textBefore(state, "conv1.weight");
  if (!tower || !state.contains(*tower + "class_embedding")) return std::nullopt;
  const ShapeReader shapes(state, "CLIP");
  return shapes.any(*tower + "transformer.resblocks.") ? tower : std::nullopt;
}

bool isClip(const StateDict& state) {
  return huggingFaceTower(state).has_value() || openAiTower(state).has_value();
}

/// Returns Hugging Face's names. A classifier sees the mean of the patches without the last norm.
VitNames huggingFaceClipNames(const StateDict& state, const std::string& tower) {
  const std::string embeddings = tower + "embeddings.";
  const std::string whole = tower.ends_with(visionModel)
                                ? tower.substr(0, tower.size() - std::string(visionModel).size())
                                : tower;
  VitNames names{.library = "Hugging Face's", .classToken = embeddings + "class_embedding"};
  names.hasFlatTokens = true;
  names.positions = embeddings + "position_embedding.weight";
  names.embedding = embeddings + "patch_embedding";
  names.normBefore = tower + "pre_layrnorm";
  const ShapeReader shapes(state, "CLIP");
  names.blocks = numberedBlocks(shapes, tower + "encoder.layers.");
  // Whole AltCLIPs call the blocks otherwise.
  if (names.blocks.empty()) names.blocks = numberedBlocks(shapes, tower + "encoder.layer.");
  names.block = huggingFaceClipBlock();
  const auto width = shapes.size({names.classToken}, 0);
  if (isLinearOfTokens(state, whole + "classifier", width.value_or(0))) {
    names.head = whole + "classifier";
    if (shapes.any(tower + "post_layernorm.")) names.poolerNorm = tower + "post_layernorm";
    return names;
  }
  names.norm = tower + "post_layernorm";
  if (shapes.any(whole + "visual_projection.")) {
    names.featureProjection = whole + "visual_projection";
  }
  return names;
}

/// Returns OpenAI's names. Blocks of some of OpenCLIP's networks have layer scales.
VitNames openAiClipNames(const StateDict& state, const std::string& tower) {
  VitNames names{.library = "OpenAI's", .classToken = tower + "class_embedding"};
  names.hasFlatTokens = true;
  names.positions = tower + "positional_embedding";
  names.embedding = tower + "conv1";
  names.normBefore = tower + "ln_pre";
  names.blocks = numberedBlocks(ShapeReader(state, "CLIP"), tower + "transformer.resblocks.");
  names.block = {.attention = "attn", .norm1 = "ln_1"};
  names.block.queryKeyValue = "attn.in_proj_";
  names.block.projection = "attn.out_proj";
  names.block.norm2 = "ln_2";
  names.block.expand = "mlp.c_fc";
  names.block.contract = "mlp.c_proj";
  const ShapeReader shapes(state, "CLIP");
  const std::string blocks = tower + "transformer.resblocks.";
  if (shapes.any(blocks, ".ls_1.gamma")) names.block.scale1 = "ls_1.gamma";
  if (shapes.any(blocks, ".ls_2.gamma")) names.block.scale2 = "ls_2.gamma";
  names.norm = tower + "ln_post";
  if (state.contains(tower + "proj")) names.featureMatrix = tower + "proj";
  return names;
}

/// Returns true if a network has no norm in front of its blocks, as OpenCLIP's CLIPA. If the
/// configuration or OpenAI's own marks say that there is one, the file is damaged instead.
bool lacksNormBefore(const StateDict& state, const VitConfiguration& configuration,
                     const ModelHints& hints) {
  if (ShapeReader(state, "CLIP").any(configuration.names.normBefore + ".")) return false;
  if (state.contains("input_resolution")) return false;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  return said == nullptr || !said->isOpenClips() || configuredValue(said, noNormBefore) == "true";
}

/// Returns true for the sizes of a published CLIPA, which has no norm in front of its blocks.
bool isClipa(const VitConfiguration& configuration) {
  constexpr int patch = 14;
  const std::string size = publishedVitName(configuration);
  return configuration.names.normBefore.empty() && configuration.patch == patch &&
         (size == "vit_large" || size == "vit_huge" || size == "vit_gigantic");
}

constexpr const char* clipaSource = "as in CLIPA, whose names and sizes these are";
constexpr const char* likeClipa =
    "published networks without a norm in front of the blocks (CLIPA) do so, others may not, and "
    "no weight tells it";

/// Returns the activation that names or marks of OpenAI's and OpenCLIP's files tell.
VitFact openAiActivation(const StateDict& state, const VitConfiguration& configuration,
                         const ModelHints& hints) {
  if (state.contains("input_resolution")) {
    return {"quick_gelu", "as in OpenAI's CLIP, which alone stores input_resolution"};
  }
  for (const GivenName& given : givenNames(hints)) {
    if (lowerCase(given.name).find("quickgelu") == std::string::npos) continue;
    return {"quick_gelu", "since " + given.place + given.name};
  }
  if (isClipa(configuration)) return {"gelu", clipaSource};
  return {"gelu", "OpenCLIP trained networks with GELU and with QuickGELU, and no weight tells it",
          false};
}

VitFact huggingFaceActivation() {
  return {"quick_gelu",
          "CLIP was trained with GELU and with QuickGELU, which config.json would tell, and no "
          "weight does",
          false};
}

/// Returns what an OpenAI's or OpenCLIP's network projects to the space of texts.
VitFact openAiPooling(const StateDict& state, const VitConfiguration& configuration,
                      const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  if (said != nullptr && said->isOpenClips()) {
    return {said->pooling == "avg" ? "mean" : "cls", "from " + said->fileName};
  }
  if (state.contains("input_resolution")) {
    return {"cls", "as in OpenAI's CLIP, which alone stores input_resolution"};
  }
  if (isClipa(configuration)) return {"mean", clipaSource};
  if (configuration.names.normBefore.empty()) return {"mean", likeClipa, false};
  const std::string size = publishedVitName(configuration);
  if (!size.empty()) return {"cls", "as in published networks of these sizes (" + size + ")"};
  return {"cls", "OpenCLIP may project the mean of the patches (pool_type), and no weight tells it",
          false};
}

/// Returns whether the norm of CLIPA's results acts on tokens or on what is pooled; nothing for
/// other networks.
std::optional<VitFact> finalNormOfClipa(const VitConfiguration& configuration) {
  if (!configuration.names.normBefore.empty()) return std::nullopt;
  if (isClipa(configuration)) return VitFact{"pooled", clipaSource};
  return VitFact{"pooled", likeClipa, false};
}

/// OpenAI's networks have heads of 64 channels; those of others follow from their sizes.
std::optional<DefaultHeads> clipHeads(const StateDict& state,
                                      const VitConfiguration& configuration) {
  constexpr int headWidth = 64;
  if (!state.contains("input_resolution") || configuration.channels % headWidth != 0) {
    return std::nullopt;
  }
  return certainHeads(configuration.channels / headWidth,
                      "as in OpenAI's CLIP, which alone stores input_resolution");
}

VitFact clipEpsilon(const StateDict& state, const VitConfiguration& configuration,
                    const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  if (said != nullptr && said->isOpenClips()) {
    return {"1e-05", "as " + said->fileName + " says no other"};
  }
  if (state.contains("input_resolution")) {
    return {"1e-05", "as in OpenAI's CLIP, which alone stores input_resolution"};
  }
  return factOfPublished(configuration, said, "1e-05", "as in every published CLIP");
}

VitConfiguration readClip(const StateDict& state, const ModelHints& hints) {
  const auto huggingFace = huggingFaceTower(state);
  VitNames names = huggingFace ? huggingFaceClipNames(state, *huggingFace)
                               : openAiClipNames(state, openAiTower(state).value_or("visual."));
  VitConfiguration configuration = readVitConfiguration(state, std::move(names), "CLIP");
  configuration.embeddingBias = false;
  configuration.resize = huggingFace ? PositionResize::Plain : PositionResize::Antialiased;
  configuration.facts.epsilon = clipEpsilon(state, configuration, hints);
  if (huggingFace) {
    configuration.facts.activation = huggingFaceActivation();
  } else {
    if (lacksNormBefore(state, configuration, hints)) configuration.names.normBefore.clear();
    configuration.facts.activation = openAiActivation(state, configuration, hints);
    configuration.facts.pooling = openAiPooling(state, configuration, hints);
    configuration.facts.finalNorm = finalNormOfClipa(configuration);
  }
  if (configuration.classes > 0) {
    configuration.pooling = VitPooling::Patches;
    configuration.facts.libraryPooling = "mean_patches";
  }
  return configuration;
}

/// Throws ModelError for networks of OpenAI's names that compute something else: CoCa, whose pool
/// has learned queries, and Perception Encoder, whose rotations leave nothing in a file.
void refuseOtherTowers(const StateDict& state, const std::string& tower) {
  const std::string queries = tower + "attn_pool.query";
  if (state.contains(queries)) {
    throw ModelError("this is OpenCLIP's CoCa or a relative, by " + quotedText(queries) +
                     ": learned queries attend to its tokens behind the blocks (attentional_pool), "
                     "which Softscope does not compute yet; " +
                     recordingAdvice());
  }
  const std::string probe = tower + "attn_pool.probe";
  if (state.contains(probe)) {
    throw ModelError("this is Perception Encoder, by " + quotedText(probe) +
                     ": it rotates queries and keys by the places of patches, which Softscope does "
                     "not compute under these names; " +
                     recordingAdvice());
  }
  if (!ShapeReader(state, "CLIP").any(tower + "ln_post.")) {
    throw ModelError("it has the names of OpenAI's CLIP without the norm " +
                     quotedText(tower + "ln_post") +
                     ": it is a Perception Encoder for language or places, which rotates queries "
                     "and keys and which Softscope does not compute, or the file lost the norm; " +
                     recordingAdvice());
  }
}

/// Throws ModelError if open_clip_config.json says that the result is neither the class token's nor
/// the mean of the patches, or passes arguments to norms and activations that are not computed.
void requireComputedOpenClip(const VitConfiguration& configuration, const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  if (said == nullptr || !said->isOpenClips()) return;
  if (!said->pooling.empty() && said->pooling != "tok" && said->pooling != "avg") {
    throw ModelError(said->place() + " says pool_type " + said->pooling +
                     "; of CLIP, Softscope computes networks whose result is the class token's or "
                     "the mean of the patches");
  }
  for (const auto& entry : said->values) {
    if (entry.first == "final_ln_after_pool" || entry.first == noNormBefore) continue;
    requireConfigured(said, entry.first, {"its default"}, "CLIP");
  }
}

/// CLIPA was trained with ImageNet's norm.
std::vector<std::string> pixelNormsOfClip(const VitConfiguration& configuration) {
  if (!configuration.names.normBefore.empty()) return {"clip"};
  if (isClipa(configuration)) return {"imagenet"};
  return {"imagenet", "clip"};
}

DefinedModel defineClip(const StateDict& state, const ModelHints& hints) {
  if (const auto tower = openAiTower(state)) refuseOtherTowers(state, *tower);
  VitConfiguration configuration = readClip(state, hints);
  requireComputedOpenClip(configuration, hints);
  InputTransform transform;
  inputSizeOfPositions(configuration.positions, configuration.patch, transform);
  transform.cropFraction = 1;
  if (configuration.names.normBefore.empty()) {
    transform.extent = InputTransform::Extent::Whole;
    transform.filter = InputTransform::Filter::Bilinear;
  }
  const std::string size = publishedVitName(configuration);
  const VitIdentity identity{.family = "clip",
                             .network = "CLIP",
                             .variant = size.empty() ? "custom" : "clip_" + size,
                             .transform = transform,
                             .pixelNorms = pixelNormsOfClip(configuration),
                             .heads = clipHeads(state, configuration)};
  const bool isBeneath = configuration.names.classToken.find('.') != std::string::npos;
  DefinedModel model = defineVit(std::move(configuration), identity, hints);
  if (const auto tower = huggingFaceTower(state)) model.part = *tower;
  // The network for texts stands beside OpenAI's network for pictures without a prefix.
  if (isBeneath && !huggingFaceTower(state)) {
    model.harmless = {"transformer.*", "positional_embedding"};
  }
  return model;
}

}  // namespace

Family clipFamily() {
  return {.name = "clip",
          .networks = "CLIP",
          .attention = "softmax",
          .recognises = isClip,
          .define = defineClip,
          .harmless =
              {
                  "*text_model.*", "*text_projection*", "text.*",  // the network for texts
                  "token_embedding.*", "ln_final.*", "context_length", "vocab_size", "attn_mask",
                  "*logit_scale", "*logit_bias",        // for comparing pictures with texts
                  "*position_ids", "input_resolution",  // constants
                  "*post_layernorm.*",                  // is skipped by a classifier
              },
          .modelTypes = {"clip", "clip_vision_model", "clipseg", "clipseg_vision_model",
                         "chinese_clip", "chinese_clip_vision_model", "altclip",
                         "altclip_vision_model", "metaclip_2", "metaclip_2_vision_model", "git",
                         "git_vision_model", "kosmos-2", "kosmos_2_vision_model", "idefics",
                         "idefics_vision", "vision-text-dual-encoder"}};
}

}  // namespace softscope
