#include "models/identify/Families.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"
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
  if (hasTorchvisionNames(state)) return true;
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

enum class VitLibrary { Timm, HuggingFace, Torchvision };

InputTransform vitTransform(const VitConfiguration& configuration, VitLibrary library) {
  InputTransform transform;
  inputSizeOfPositions(configuration.positions, configuration.patch, transform);
  if (library == VitLibrary::HuggingFace) {
    transform.extent = InputTransform::Extent::Whole;
    transform.filter = InputTransform::Filter::Bilinear;
    return transform;
  }
  if (library == VitLibrary::Torchvision) {
    transform.filter = InputTransform::Filter::Bilinear;
    return transform;
  }
  transform.cropFraction = configuration.names.block.scale1.empty() ? 0.9 : 1;
  return transform;
}

VitConfiguration readVit(const StateDict& state, VitLibrary library) {
  if (library == VitLibrary::HuggingFace) {
    VitConfiguration configuration = readVitConfiguration(state, huggingFaceNames(state), "ViT");
    configuration.resize = PositionResize::Plain;
    configuration.epsilon = 1e-12;
    if (hasMixedHuggingFaceNames(state)) {
      configuration.facts.epsilon =
          VitFact{"1e-06", "as in ViT-MSN, whose classifiers alone have such names"};
    }
    return configuration;
  }
  if (library == VitLibrary::Torchvision) {
    VitConfiguration configuration = readVitConfiguration(state, torchvisionNames(state), "ViT");
    configuration.resize = PositionResize::Aligned;
    const std::string source = "as in torchvision's library, whose names these are";
    configuration.facts.activation = VitFact{"gelu", source};
    configuration.facts.epsilon = VitFact{"1e-06", source};
    return configuration;
  }
  VitConfiguration configuration = readVitConfiguration(state, timmNames(state), "ViT");
  if (!configuration.names.normBefore.empty()) configuration.epsilon = 1e-5;
  return configuration;
}

/// torchvision's networks were all trained with ImageNet's norm.
std::vector<std::string> pixelNormsOf(const VitConfiguration& configuration, VitLibrary library) {
  if (library == VitLibrary::Torchvision) return {"imagenet"};
  return pixelNormsOfVits(configuration);
}

VitLibrary libraryOf(const StateDict& state) {
  if (hasTorchvisionNames(state)) return VitLibrary::Torchvision;
  return hasHuggingFaceNames(state) ? VitLibrary::HuggingFace : VitLibrary::Timm;
}

DefinedModel defineVitFamily(const StateDict& state, const ModelHints& hints) {
  const VitLibrary library = libraryOf(state);
  VitConfiguration configuration = readVit(state, library);
  const VitIdentity identity{.family = "vit",
                             .network = "ViT",
                             .variant = vitVariant(configuration, hints),
                             .transform = vitTransform(configuration, library),
                             .pixelNorms = pixelNormsOf(configuration, library)};
  return defineVit(std::move(configuration), identity, hints);
}

}  // namespace

Family vitFamily() {
  return {.name = "vit",
          .networks = "ViT",
          .attention = "softmax",
          .recognises = isVit,
          .define = defineVitFamily,
          .harmless = {
              "pooler.*", "*.pooler.*",  // of the class token, not used by any head
              "*mask_token", "decoder.*", "decoder_*",
              "vit.decoder.*",  // for pretraining with hidden patches
          }};
}

}  // namespace softscope
