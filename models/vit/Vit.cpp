#include "models/identify/Families.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitSettings.h"

#include <cstddef>
#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedVitSize {
  const char* size;
  int channels;
  std::size_t depth;
};

constexpr PublishedVitSize publishedVits[] = {{"tiny", 192, 12},
                                              {"small", 384, 12},
                                              {"base", 768, 12},
                                              {"large", 1024, 24},
                                              {"huge", 1280, 32}};

bool isVit(const StateDict& state) {
  if (hasHuggingFaceNames(state)) return !isHuggingFaceDinov2(state) && !isHuggingFaceDeit(state);
  return hasTimmNames(state) && hasMoreThanDeit(state);
}

/// Returns true if the network only has the parts of the original ViT.
bool hasPlainParts(const VitConfiguration& configuration) {
  const VitNames& names = configuration.names;
  return configuration.registers == 0 && configuration.classToken && names.normBefore.empty() &&
         names.block.scale1.empty() && names.poolingNorm.empty();
}

std::string vitVariant(const VitConfiguration& configuration, const ModelHints& hints) {
  const ConfigurationFile& said = hints.configuration;
  if (said.architecture.starts_with("vit_") && said.fits(configuration.channels)) {
    return said.architecture;
  }
  if (!hasPlainParts(configuration) || !publishedVit(configuration)) return "custom";
  for (const PublishedVitSize& variant : publishedVits) {
    if (variant.channels != configuration.channels ||
        variant.depth != configuration.names.blocks.size()) {
      continue;
    }
    return "vit_" + std::string(variant.size) + "_patch" + std::to_string(configuration.patch) +
           "_" + std::to_string(squareSide(configuration.positions) * configuration.patch);
  }
  return "custom";
}

InputTransform vitTransform(const VitConfiguration& configuration, bool isHuggingFace) {
  InputTransform transform;
  inputSizeOfPositions(configuration.positions, configuration.patch, transform);
  if (isHuggingFace) {
    transform.extent = InputTransform::Extent::Whole;
    transform.filter = InputTransform::Filter::Bilinear;
    return transform;
  }
  transform.cropFraction = configuration.names.block.scale1.empty() ? 0.9 : 1;
  return transform;
}

DefinedModel defineVitFamily(const StateDict& state, const ModelHints& hints) {
  const bool isHuggingFace = hasHuggingFaceNames(state);
  VitConfiguration configuration = readVitConfiguration(
      state, isHuggingFace ? huggingFaceNames(state) : timmNames(state), "ViT");
  if (isHuggingFace) {
    configuration.resize = PositionResize::Plain;
    configuration.epsilon = 1e-12;
  } else if (!configuration.names.normBefore.empty()) {
    configuration.epsilon = 1e-5;
  }
  const VitIdentity identity{.family = "vit",
                             .network = "ViT",
                             .variant = vitVariant(configuration, hints),
                             .transform = vitTransform(configuration, isHuggingFace),
                             .pixelNorms = pixelNormsOfVits(configuration)};
  return defineVit(std::move(configuration), identity, hints);
}

}  // namespace

Family vitFamily() {
  return {.name = "vit",
          .recognises = isVit,
          .define = defineVitFamily,
          .harmless = {
              "pooler.*", "*.pooler.*",                 // of the class token, not used by any head
              "*mask_token", "decoder.*", "decoder_*",  // for pretraining with hidden patches
          }};
}

}  // namespace softscope
