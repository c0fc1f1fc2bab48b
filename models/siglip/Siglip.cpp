#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Returns what precedes the names of the network for pictures, which has no class token and no
/// norm before its blocks, unlike CLIP's; nothing for other names.
std::optional<std::string> siglipTower(const StateDict& state) {
  const auto tower = textBefore(state, "embeddings.patch_embedding.");
  if (!tower || anyContains(state, *tower + "embeddings.class_embedding") ||
      anyContains(state, *tower + "pre_layrnorm.")) {
    return std::nullopt;
  }
  const ShapeReader shapes(state, "SigLIP");
  const bool hasItsBlocks = shapes.any(*tower + "encoder.layers.", ".self_attn.q_proj.weight") ||
                            shapes.any(*tower + "encoder.layers.", ".self_attn.out_proj.weight");
  return hasItsBlocks && shapes.any(*tower + "post_layernorm.") ? tower : std::nullopt;
}

VitPoolNames siglipPoolNames(const std::string& head) {
  VitPoolNames names{.layer = head + "attention", .latent = head + "probe"};
  names.queryKeyValue = head + "attention.in_proj_";
  names.projection = head + "attention.out_proj";
  names.norm = head + "layernorm";
  names.expand = head + "mlp.fc1";
  names.contract = head + "mlp.fc2";
  return names;
}

VitNames siglipNames(const StateDict& state, const std::string& tower) {
  const ShapeReader shapes(state, "SigLIP");
  const std::string embeddings = tower + "embeddings.";
  VitNames names{.library = "Hugging Face's"};
  names.hasFlatTokens = true;
  names.positions = embeddings + "position_embedding.weight";
  names.embedding = embeddings + "patch_embedding";
  names.blocks = numberedBlocks(shapes, tower + "encoder.layers.");
  names.block = huggingFaceClipBlock();
  names.norm = tower + "post_layernorm";
  if (shapes.any(tower + "head.")) names.pool = siglipPoolNames(tower + "head.");
  const auto width = shapes.size({names.positions}, 1);
  if (isLinearOfTokens(state, "classifier", width.value_or(0))) names.head = "classifier";
  return names;
}

/// Types whose patches take the position that lies at the same share of the table's sides, rather
/// than one that is resized: those of Idefics, SmolVLM, Aria, Phi-4 and MiniCPM, and of the
/// networks around them.
const std::vector<std::string>& sharingTypes() {
  static const std::vector<std::string> types{
      "idefics2",       "idefics2_vision", "idefics3",        "idefics3_vision",        "smolvlm",
      "smolvlm_vision", "phi4mm",          "phi4_multimodal", "phi4_multimodal_vision", "minicpmv",
      "minicpmo"};
  return types;
}

/// The types of SigLIP's network for pictures, and of those that share its computation.
std::vector<std::string> siglipTypes() {
  std::vector<std::string> types{"siglip",
                                 "siglip_vision_model",
                                 "siglip2",
                                 "siglip2_vision_model",
                                 "cosmos3_edge_vision",
                                 "vision-text-dual-encoder"};
  types.insert(types.end(), sharingTypes().begin(), sharingTypes().end());
  return types;
}

/// Returns true for the names of what stands between the network for pictures and that for texts in
/// networks of those types: Idefics and SmolVLM, Aria, and Phi-4.
bool hasConnectorOfSharing(const StateDict& state) {
  constexpr const char* connectors[] = {"connector.modality_projection.",
                                        "multi_modal_projector.cross_attn.",
                                        "embed_tokens_extend.image_embed."};
  return std::ranges::any_of(connectors,
                             [&](const char* part) { return anyContains(state, part); });
}

/// Leaves a network of those types the one grid at which shares and places are the same.
void requireTrainedGrid(const StateDict& state, VitConfiguration& configuration,
                        const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const int side = squareSide(configuration.positions);
  if (side == 0) return;
  const auto isSaid = [&](const std::string& type) {
    return said != nullptr && (type == said->modelType || type == said->architecture);
  };
  if (std::ranges::any_of(sharingTypes(), isSaid) || hasConnectorOfSharing(state)) {
    configuration.onlyGrid = {side, side};
  }
}

VitConfiguration readSiglip(const StateDict& state, const std::string& tower,
                            const ModelHints& hints) {
  VitConfiguration configuration = readVitConfiguration(state, siglipNames(state, tower), "SigLIP");
  const torch::Tensor* embedding = state.find(configuration.names.embedding + ".weight");
  configuration.isLinearEmbedding = embedding != nullptr && embedding->dim() == 2;
  configuration.resize =
      configuration.isLinearEmbedding ? PositionResize::Bilinear : PositionResize::Plain;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const std::string source = "as in every published SigLIP of these names";
  configuration.facts.activation = factOfPublished(configuration, said, "gelu_tanh", source);
  configuration.facts.epsilon = factOfPublished(configuration, said, "1e-06", source);
  if (configuration.classes > 0) {
    configuration.pooling = VitPooling::Patches;
    configuration.facts.libraryPooling = "mean";
  }
  return configuration;
}

DefinedModel defineSiglip(const StateDict& state, const ModelHints& hints) {
  const std::string tower = siglipTower(state).value_or("vision_model.");
  VitConfiguration configuration = readSiglip(state, tower, hints);
  requireTrainedGrid(state, configuration, hints);
  InputTransform transform;
  inputSizeOfPositions(configuration.positions, configuration.patch, transform);
  transform.extent = InputTransform::Extent::Whole;
  const std::string size = publishedVitName(configuration);
  const VitIdentity identity{.family = "siglip",
                             .network = "SigLIP",
                             .variant = size.empty() ? "custom" : "siglip_" + size,
                             .transform = transform,
                             .pixelNorms = {"half"}};
  DefinedModel model = defineVit(std::move(configuration), identity, hints);
  model.part = tower;
  return model;
}

}  // namespace

Family siglipFamily() {
  return {.name = "siglip",
          .networks = "SigLIP, SigLIP 2",
          .attention = "softmax",
          .recognises = [](const StateDict& state) { return siglipTower(state).has_value(); },
          .define = defineSiglip,
          .harmless =
              {
                  "*text_model.*",  // the network for texts
                  "*logit_scale",
                  "*logit_bias",  // for comparing pictures with texts
                  "*position_ids",
              },
          .modelTypes = siglipTypes()};
}

}  // namespace softscope
