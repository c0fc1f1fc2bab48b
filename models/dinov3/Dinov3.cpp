#include "models/dinov3/Dinov3Names.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"

#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

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

/// Throws ModelError if timm's arguments in config.json give the blocks another form, or rotate
/// otherwise than DINOv3 does.
void requirePublishedRotation(const ConfigurationFile* said) {
  requireConfigured(said, "use_post_norm", {"false"}, "DINOv3");
  requireConfigured(said, "use_rot_pos_emb", {"true"}, "DINOv3");
  requireConfigured(said, "rope_type", {"dinov3"}, "DINOv3");
  requireConfigured(said, "rope_grid_indexing", {"ij"}, "DINOv3");
  requireConfigured(said, "rope_grid_offset", {"0", "0.0"}, "DINOv3");
  requireConfigured(said, "rope_rotate_half", {"true"}, "DINOv3");
}

VitConfiguration readDinov3(const StateDict& state, const ModelHints& hints) {
  VitConfiguration configuration = readVitConfiguration(state, dinov3Names(state), "DINOv3");
  configuration.rotary.form = RotaryPositions::Form::Halves;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  requirePublishedRotation(said);
  configuration.rotary.base = toldRotaryBase(said, hints).value_or(configuration.rotary.base);
  configuration.facts.activation =
      VitFact{configuration.isGated ? "silu" : "gelu", "as in every published DINOv3"};
  configuration.facts.epsilon = VitFact{"1e-05", "as in every published DINOv3"};
  configuration.facts.norm = VitFact{"pre", "as in every DINOv3"};
  configuration.facts.pooling = VitFact{
      "mean", "timm's DINOv3 classifies the mean of the patches unless told otherwise", false};
  return configuration;
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
  const bool hasRegisters = configuration.registers > 0;
  const std::string registers = configuration.names.registers;
  const double base = configuration.rotary.base;
  const bool isBaseTold =
      configuration.names.rotaryPeriods.empty() && base != RotaryPositions{}.base;
  DefinedModel model = defineVit(std::move(configuration), identity, hints);
  if (isBaseTold) describeSetting(toldRotaryBaseSetting(base, hints), model.summary);
  // Hugging Face's library writes an empty tensor for no registers.
  if (!hasRegisters) model.harmless = {registers};
  return model;
}

}  // namespace

Family dinov3Family() {
  return {.name = "dinov3",
          .networks = "DINOv3",
          .attention = "softmax",
          .recognises = hasDinov3Names,
          .define = defineDinov3,
          .harmless = {
              "*mask_token",                 // replaces hidden patches in training
              "local_cls_norm.*",            // of the small crops in training
              "dino_head.*", "ibot_head.*",  // projections for training, which are not classifiers
          }};
}

}  // namespace softscope
