#include "core/checkpoint/StateDict.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"
#include "models/vit/VitRotationSettings.h"

#include <optional>
#include <string>
#include <utility>

namespace softscope {

/// Returns true if a state dict has Facebook's, Hugging Face's or timm's names for a DINOv3.
bool hasDinov3Names(const StateDict& state);

/// Returns the names that the state dict uses.
VitNames dinov3Names(const StateDict& state);

namespace {

/// Sapiens2 has DINOv3's registers and other attention.
bool hasFacebookDinov3Names(const StateDict& state) {
  return (state.contains("storage_tokens") || state.contains("rope_embed.periods")) &&
         !anyContains(state, ".attn.wq.");
}

bool hasTimmDinov3Names(const StateDict& state) {
  const ShapeReader shapes(state, "DINOv3");
  return state.contains("cls_token") && state.contains("reg_token") &&
         !state.contains("pos_embed") && shapes.any("blocks.", ".gamma_1") &&
         shapes.any("blocks.", ".attn.qkv.weight");
}

/// Returns what precedes Hugging Face's names of blocks: nothing, or `model.` in memory.
std::optional<std::string> huggingFaceBlocks(const StateDict& state) {
  if (!anyContains(state, "embeddings.register_tokens") ||
      anyContains(state, "embeddings.position_embeddings")) {
    return std::nullopt;
  }
  const auto before = textBefore(state, "layer.0.");
  return before && anyContains(state, ".attention.q_proj.") ? before : std::nullopt;
}

VitNames facebookDinov3Names(const StateDict& state) {
  const ShapeReader shapes(state, "DINOv3");
  VitNames names = timmNames(state);
  names.library = "Facebook's";
  names.registers = "storage_tokens";
  names.positions.clear();
  names.normBefore.clear();
  names.rotaryPeriods = "rope_embed.periods";
  if (shapes.any("blocks.", ".attn.qkv.bias_mask")) names.block.biasMask = "attn.qkv.bias_mask";
  if (shapes.any("blocks.", ".mlp.w1.weight")) {
    names.block.gate = "mlp.w1";
    names.block.expand = "mlp.w2";
    names.block.contract = "mlp.w3";
  }
  if (shapes.any("cls_norm.")) names.prefixNorm = "cls_norm";
  names.biasesVary = true;
  return names;
}

VitNames timmDinov3Names(const StateDict& state) {
  const ShapeReader shapes(state, "DINOv3");
  VitNames names = timmNames(state);
  names.positions.clear();
  if (shapes.any("blocks.", ".attn.q_bias")) {
    names.block.queryBias = "attn.q_bias";
    names.block.valueBias = "attn.v_bias";
  }
  names.biasesVary = true;
  return names;
}

VitNames huggingFaceDinov3Names(const StateDict& state, const std::string& before) {
  const ShapeReader shapes(state, "DINOv3");
  const std::string wrapper = textBefore(state, "embeddings.register_tokens").value_or("");
  const std::string embeddings = wrapper + "embeddings.";
  VitNames names{.library = "Hugging Face's", .classToken = embeddings + "cls_token"};
  names.registers = embeddings + "register_tokens";
  names.embedding = embeddings + "patch_embeddings";
  names.blocks = numberedBlocks(shapes, before + "layer.");
  names.block = {.attention = "attention", .norm1 = "norm1"};
  names.block.query = "attention.q_proj";
  names.block.key = "attention.k_proj";
  names.block.value = "attention.v_proj";
  names.block.projection = "attention.o_proj";
  names.block.scale1 = "layer_scale1.lambda1";
  names.block.norm2 = "norm2";
  names.block.expand = "mlp.up_proj";
  if (anyContains(state, ".mlp.gate_proj.")) names.block.gate = "mlp.gate_proj";
  names.block.contract = "mlp.down_proj";
  names.block.scale2 = "layer_scale2.lambda1";
  names.biasesVary = true;
  names.configuresGate = true;
  names.norm = wrapper + "norm";
  return names;
}

struct PublishedDinov3 {
  const char* size;
  int channels;
  std::size_t depth;
  int heads;
  bool isGated;
};

constexpr PublishedDinov3 publishedDinov3s[] = {
    {"vits16", 384, 12, 6, false},      {"vits16plus", 384, 12, 6, true},
    {"vitb16", 768, 12, 12, false},     {"vitl16", 1024, 24, 16, false},
    {"vith16plus", 1280, 32, 20, true}, {"vit7b16", 4096, 40, 32, true}};

const PublishedDinov3* publishedDinov3(const VitConfiguration& configuration) {
  constexpr int publishedPatch = 16;
  for (const PublishedDinov3& variant : publishedDinov3s) {
    if (configuration.patch == publishedPatch && variant.channels == configuration.channels &&
        variant.depth == configuration.names.blocks.size() &&
        variant.isGated == configuration.isGated) {
      return &variant;
    }
  }
  return nullptr;
}

/// Facebook's periods have an entry for every 4 channels of a head.
DefaultHeads dinov3Heads(const StateDict& state, const VitConfiguration& configuration) {
  const ShapeReader shapes(state, "DINOv3");
  constexpr int channelsPerPeriod = 4;
  const std::string& stored = configuration.names.rotaryPeriods;
  if (!stored.empty()) {
    const int periods = shapes.require(shapes.size({stored}, 0), "its rotary periods");
    return certainHeads(headsOfWidth("DINOv3", configuration.channels, channelsPerPeriod * periods),
                        "by " + stored);
  }
  if (const PublishedDinov3* published = publishedDinov3(configuration)) {
    return certainHeads(published->heads, std::string("as in dinov3_") + published->size);
  }
  return assumedHeads(configuration.channels, "DINOv3");
}

constexpr UsualRotation usualDinov3Rotation{
    .network = "DINOv3", .type = "dinov3", .rotatesHalves = "true"};

/// Throws ModelError if timm's arguments in config.json give the blocks another form, or rotate
/// otherwise than DINOv3 does.
void requirePublishedRotation(const ConfigurationFile* said) {
  requireConfigured(said, "use_post_norm", {"false"}, "DINOv3");
  requireConfigured(said, "use_rot_pos_emb", {"true"}, "DINOv3");
  requireUsualRotation(usualDinov3Rotation, said);
}

VitConfiguration readDinov3(const StateDict& state, const ModelHints& hints) {
  VitConfiguration configuration = readVitConfiguration(state, dinov3Names(state), "DINOv3");
  configuration.rotary.form = RotaryPositions::Form::Halves;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  requirePublishedRotation(said);
  configuration.rotary.base = toldRotaryBase(said, hints).value_or(configuration.rotary.base);
  const bool isKnown = publishedDinov3(configuration) != nullptr || namesNetwork(said);
  const std::string source = isKnown ? "as in every published DINOv3" : unpublishedText();
  const std::string activation = configuration.isGated ? "silu" : "gelu";
  configuration.facts.activation = VitFact{activation, source, isKnown};
  configuration.facts.epsilon = VitFact{"1e-05", source, isKnown};
  // Facebook's code takes no other activation.
  if (!isKnown && hasFacebookDinov3Names(state)) {
    configuration.facts.activation =
        VitFact{activation, "as in Facebook's library, whose names these are"};
  }
  configuration.facts.norm = VitFact{"pre", "as in every DINOv3"};
  configuration.facts.pooling = VitFact{
      "mean", "timm's DINOv3 classifies the mean of the patches unless told otherwise", false};
  return configuration;
}

/// Returns the base of the rotary periods as a setting, which config.json or the metadata tell, or
/// which is assumed at sizes that nobody published. Returns nothing if periods are stored, or if it
/// is that of published sizes.
std::optional<NetworkSetting> resolveRotaryBase(const VitConfiguration& configuration,
                                                const ModelHints& hints) {
  if (!configuration.names.rotaryPeriods.empty()) return std::nullopt;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const double base = configuration.rotary.base;
  if (base != RotaryPositions{}.base) return toldRotaryBaseSetting(base, hints);
  if (publishedDinov3(configuration) != nullptr) return std::nullopt;
  // A converted file has no name beside it, so that what it says is kept even if it is usual.
  const bool isTold = toldRotaryBase(said, hints) || namesNetwork(said);
  return isTold ? toldRotaryBaseSetting(base, hints) : assumedRotaryBaseSetting(base);
}

/// Returns the type that rotations were probably computed in, as Facebook's configuration calls it:
/// that of the periods, unless these were rounded with all other weights.
std::string likelyTypeOfRotation(const StateDict& state) {
  const torch::Tensor* periods = state.find("rope_embed.periods");
  const torch::Tensor* patches = state.find("patch_embed.proj.weight");
  const bool isRoundedAlone =
      periods != nullptr && patches != nullptr && patches->scalar_type() == torch::kFloat32;
  if (!isRoundedAlone || periods->scalar_type() == torch::kFloat32) return "fp32";
  return periods->scalar_type() == torch::kBFloat16 ? "bf16" : "fp16";
}

/// Writes to the rotation what Facebook's code may be told of it and no weight shows: the sides
/// that positions are divided by, and the type that it is computed in. Adds both to the settings of
/// `summary` unless the sizes are published.
void resolveFacebookRotation(const StateDict& state, bool isPublished, const ModelHints& hints,
                             RotaryPositions& rotary, ModelSummary& summary) {
  const ConfigurationFile* said = configurationFor(summary.channels, hints);
  const SettingKnowledge known = knownOfPublished("DINOv3", isPublished, said);
  const std::string sides = resolveStoredOption({.key = "pos_embed_rope_normalize_coords",
                                                 .usual = "separate",
                                                 .isCertain = known.isCertain,
                                                 .reason = known.reason,
                                                 .network = "DINOv3",
                                                 .computed = {"separate", "max", "min"}},
                                                hints, summary, said);
  if (sides == "max") rotary.normalization = RotaryPositions::Normalization::Max;
  if (sides == "min") rotary.normalization = RotaryPositions::Normalization::Min;
  const torch::Tensor* periods = state.find("rope_embed.periods");
  const bool isCertain =
      known.isCertain || periods == nullptr || periods->scalar_type() == torch::kFloat32;
  const std::string type = resolveStoredOption(
      {.key = "pos_embed_rope_dtype",
       .usual = isCertain ? "fp32" : likelyTypeOfRotation(state),
       .isCertain = isCertain,
       .reason =
           "its periods are stored in half precision, in which the authors' training computes "
           "rotations and their hub does not, and no weight tells which is meant",
       .network = "DINOv3",
       .computed = {"fp32", "bf16", "fp16"}},
      hints, summary, said);
  if (type == "bf16") rotary.precision = torch::kBFloat16;
  if (type == "fp16") rotary.precision = torch::kFloat16;
}

/// Returns what precedes all of Hugging Face's names; nothing for other names.
std::string wrapperOfDinov3(const StateDict& state) {
  if (!huggingFaceBlocks(state)) return {};
  return textBefore(state, "embeddings.register_tokens").value_or("");
}

DefinedModel defineDinov3(const StateDict& state, const ModelHints& hints) {
  VitConfiguration configuration = readDinov3(state, hints);
  const DefaultHeads heads = dinov3Heads(state, configuration);
  InputTransform transform;
  transform.extent = InputTransform::Extent::Whole;
  transform.filter = InputTransform::Filter::Bilinear;
  const PublishedDinov3* published = publishedDinov3(configuration);
  const VitIdentity identity{
      .family = "dinov3",
      .network = "DINOv3",
      .variant = published == nullptr ? "custom" : std::string("dinov3_") + published->size,
      .transform = transform,
      .pixelNorms = {"imagenet"},
      .heads = heads};
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const bool hasRegisters = configuration.registers > 0;
  const std::string registers = configuration.names.registers;
  const auto baseSetting = resolveRotaryBase(configuration, hints);
  ModelSummary rotation;
  rotation.channels = configuration.channels;
  if (hasFacebookDinov3Names(state)) {
    resolveFacebookRotation(state, published != nullptr, hints, configuration.rotary, rotation);
  }
  DefinedModel model = defineVit(std::move(configuration), identity, hints);
  describeSettings(rotation.settings, model.summary);
  if (!rotation.variant.empty()) model.summary.variant = rotation.variant;
  if (baseSetting) describeSetting(*baseSetting, model.summary);
  // The other libraries' code rotates in one way alone.
  if (hasTimmDinov3Names(state)) {
    describeUsualRotation(usualDinov3Rotation, published != nullptr, said, hints, model.summary);
  }
  model.part = wrapperOfDinov3(state);
  // Hugging Face's library writes an empty tensor for no registers.
  if (!hasRegisters) model.harmless = {registers};
  return model;
}

}  // namespace

bool hasDinov3Names(const StateDict& state) {
  return hasFacebookDinov3Names(state) || hasTimmDinov3Names(state) ||
         huggingFaceBlocks(state).has_value();
}

VitNames dinov3Names(const StateDict& state) {
  if (hasFacebookDinov3Names(state)) return facebookDinov3Names(state);
  if (const auto before = huggingFaceBlocks(state)) return huggingFaceDinov3Names(state, *before);
  return timmDinov3Names(state);
}

Family dinov3Family() {
  return {
      .name = "dinov3",
      .networks = "DINOv3",
      .attention = "softmax",
      .recognises = hasDinov3Names,
      .define = defineDinov3,
      .harmless =
          {
              "*mask_token",                 // replaces hidden patches in training
              "local_cls_norm.*",            // of the small crops in training
              "dino_head.*", "ibot_head.*",  // projections for training, which are not classifiers
          },
      .modelTypes = {"dinov3_vit"}};
}

}  // namespace softscope
