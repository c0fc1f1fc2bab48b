#include "models/identify/Families.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"

#include <cstddef>
#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedDinov2 {
  char size;
  int channels;
  std::size_t depth;
};

constexpr PublishedDinov2 publishedDinov2s[] = {
    {'s', 384, 12}, {'b', 768, 12}, {'l', 1024, 24}, {'g', 1536, 40}};

/// Facebook's files are recognised by the mask token of their training, which timm's copies lack.
bool hasFacebookNames(const StateDict& state) {
  const bool isMarked =
      state.contains("register_tokens") || (state.contains("mask_token") && hasMoreThanDeit(state));
  return isMarked && hasTimmNames(state);
}

bool isDinov2(const StateDict& state) {
  if (hasHuggingFaceNames(state)) return isHuggingFaceDinov2(state);
  return hasFacebookNames(state);
}

std::string dinov2Variant(const VitConfiguration& configuration) {
  constexpr int publishedPatch = 14;
  if (configuration.patch != publishedPatch) return "custom";
  for (const PublishedDinov2& variant : publishedDinov2s) {
    if (variant.channels == configuration.channels &&
        variant.depth == configuration.names.blocks.size()) {
      return std::string("dinov2_vit") + variant.size + "14" +
             (configuration.registers > 0 ? "_reg" : "");
    }
  }
  return "custom";
}

/// Published position tables are for 518 pixels, but the networks are evaluated on pictures of 224.
InputTransform dinov2Transform(const VitConfiguration& configuration) {
  constexpr int trainedSide = 518;
  constexpr int evaluatedSide = 224;
  InputTransform transform;
  inputSizeOfPositions(configuration.positions, configuration.patch, transform);
  if (transform.height == trainedSide && transform.width == trainedSide) {
    transform.height = transform.width = evaluatedSide;
  }
  return transform;
}

DefinedModel defineDinov2(const StateDict& state, const ModelHints& hints) {
  const bool isHuggingFace = hasHuggingFaceNames(state);
  VitNames names = isHuggingFace ? huggingFaceNames(state) : timmNames(state);
  names.addsRegistersLater = true;
  VitConfiguration configuration = readVitConfiguration(state, std::move(names), "DINOv2");
  configuration.takesTablesForSquares = true;
  if (isHuggingFace) configuration.facts.libraryPooling = "both";
  if (configuration.registers == 0) {
    configuration.resize = isHuggingFace ? PositionResize::Plain : PositionResize::Offset;
  }
  const bool hasRegisters = configuration.registers > 0;
  configuration.facts.resize =
      dinov2Variant(configuration) == "custom"
          ? VitFact{hasRegisters ? "antialiased" : "offset",
                    "DINOv2's code resizes positions antialiased or with an offset, as its "
                    "configuration says, and no weight tells it",
                    false}
          : VitFact{hasRegisters ? "antialiased" : "offset", "as in every published DINOv2"};
  const VitIdentity identity{.family = "dinov2",
                             .network = "DINOv2",
                             .variant = dinov2Variant(configuration),
                             .transform = dinov2Transform(configuration)};
  DefinedModel model = defineVit(std::move(configuration), identity, hints);
  if (isHuggingFace) model.part = huggingFaceWrapper(state);
  return model;
}

}  // namespace

Family dinov2Family() {
  return {
      .name = "dinov2",
      .networks = "DINOv2",
      .attention = "softmax",
      .recognises = isDinov2,
      .define = defineDinov2,
      .harmless =
          {
              "*mask_token",                 // replaces hidden patches in training
              "dino_head.*", "ibot_head.*",  // projections for training, which are not classifiers
          },
      .modelTypes = {"dinov2", "dinov2_with_registers", "depth_anything", "prompt_depth_anything",
                     "dpt", "upernet"}};
}

}  // namespace softscope
