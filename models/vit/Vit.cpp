#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"
#include "models/vit/VitModel.h"
#include "models/vit/VitNames.h"
#include "models/vit/VitSettings.h"

#include <cstddef>
#include <optional>
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

constexpr const char* beit3Source = "as in BEiT-3, whose names and sizes these are";

/// Returns true for BEiT-3, which has norms within attention and mlp and a published ViT's sizes.
bool isBeit3(const VitConfiguration& configuration) {
  const VitBlockNames& block = configuration.names.block;
  return !block.attentionNorm.empty() && !block.mlpNorm.empty() && publishedVit(configuration);
}

/// Returns true if the network only has the parts of the original ViT.
bool hasPlainParts(const VitConfiguration& configuration) {
  const VitNames& names = configuration.names;
  return configuration.registers == 0 && configuration.classToken && names.normBefore.empty() &&
         names.block.scale1.empty() && names.poolingNorm.empty() &&
         names.block.attentionNorm.empty() && names.block.mlpNorm.empty();
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
  const bool isWhole = !configuration.names.block.scale1.empty() || isBeit3(configuration);
  transform.cropFraction = isWhole ? 1 : 0.9;
  return transform;
}

/// Returns Hugging Face's names. I-JEPA has no class token, which its positions alone do not show
/// where they form no square.
VitNames huggingFaceVitNames(const StateDict& state, const ModelHints& hints) {
  VitNames names = huggingFaceNames(state);
  const bool isIjepa =
      names.embedding.starts_with("ijepa.") || hints.configuration.modelType == "ijepa";
  if (isIjepa && !state.contains(names.classToken)) names.classToken.clear();
  return names;
}

VitConfiguration readVit(const StateDict& state, VitLibrary library, const ModelHints& hints) {
  if (library == VitLibrary::HuggingFace) {
    VitConfiguration configuration =
        readVitConfiguration(state, huggingFaceVitNames(state, hints), "ViT");
    configuration.resize = PositionResize::Plain;
    configuration.epsilon = 1e-12;
    configuration.facts.libraryPooling = configuration.classToken ? "cls" : "mean";
    if (hasMixedHuggingFaceNames(state)) {
      configuration.facts.epsilon =
          factOfPublished(configuration, configurationFor(configuration.channels, hints), "1e-06",
                          "as in ViT-MSN, whose classifiers alone have such names");
    }
    return configuration;
  }
  if (library == VitLibrary::Torchvision) {
    VitConfiguration configuration = readVitConfiguration(state, torchvisionNames(state), "ViT");
    leaveGreyToStructure(configuration);
    configuration.resize = PositionResize::Aligned;
    const std::string source = "as in torchvision's library, whose names these are";
    configuration.facts.activation = VitFact{"gelu", source};
    configuration.facts.epsilon = VitFact{"1e-06", source};
    return configuration;
  }
  VitConfiguration configuration = readVitConfiguration(state, timmNames(state), "ViT");
  leaveGreyToStructure(configuration);
  configuration.mayPoolPrefix = true;
  if (isBeit3(configuration)) configuration.facts.epsilon = VitFact{"1e-05", beit3Source};
  if (!configuration.names.normBefore.empty()) configuration.epsilon = 1e-5;
  return configuration;
}

/// torchvision's networks and BEiT-3's were all trained with ImageNet's norm.
std::vector<std::string> pixelNormsOf(const VitConfiguration& configuration, VitLibrary library) {
  if (library == VitLibrary::Torchvision || isBeit3(configuration)) return {"imagenet"};
  return pixelNormsOfVits(configuration);
}

VitLibrary libraryOf(const StateDict& state) {
  if (hasTorchvisionNames(state)) return VitLibrary::Torchvision;
  return hasHuggingFaceNames(state) ? VitLibrary::HuggingFace : VitLibrary::Timm;
}

/// Returns true if a network may as well be timm's EVA with packed queries, keys and values, which
/// has the same names. A norm of what is pooled is EVA's usual one, and layer scales may be called
/// as its are.
bool looksLikeEva(const VitConfiguration& configuration) {
  const VitNames& names = configuration.names;
  const bool hasItsParts = !names.poolingNorm.empty() || names.block.scale1 == "gamma_1";
  return names.library.empty() && hasItsParts && !publishedVit(configuration);
}

/// Returns EVA's rotation as a setting: a guess, or what config.json or the metadata tell. Throws
/// ModelError if they tell one.
NetworkSetting resolveAbsentRotation(const VitConfiguration& configuration,
                                     const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const auto told = toldFlag(evaRotatesKey, said, hints);
  if (!told && namedVit(configuration, hints)) {
    // Kept by conversion, which loses the name.
    return {.option = evaRotatesKey,
            .value = "false",
            .source = "by the network's name",
            .choices = {},
            .why = {}};
  }
  if (!told) return guessedEvaRotation(false);
  if (!*told) return toldSetting(evaRotatesKey, "false", hints);
  throw ModelError(std::string(evaRotatesKey) +
                   " is true, and under these names Softscope computes no rotation of queries and "
                   "keys; " +
                   recordingAdvice());
}

DefinedModel defineVitFamily(const StateDict& state, const ModelHints& hints) {
  const VitLibrary library = libraryOf(state);
  VitConfiguration configuration = readVit(state, library, hints);
  std::optional<NetworkSetting> rotation;
  if (looksLikeEva(configuration)) rotation = resolveAbsentRotation(configuration, hints);
  const VitIdentity identity{.family = "vit",
                             .network = "ViT",
                             .variant = vitVariant(configuration, hints),
                             .transform = vitTransform(configuration, library),
                             .pixelNorms = pixelNormsOf(configuration, library)};
  DefinedModel model = defineVit(std::move(configuration), identity, hints);
  if (library == VitLibrary::HuggingFace) model.part = huggingFaceWrapper(state);
  if (rotation) describeSetting(*rotation, model.summary);
  return model;
}

}  // namespace

Family vitFamily() {
  return {.name = "vit",
          .networks = "ViT",
          .attention = "softmax",
          .recognises = isVit,
          .define = defineVitFamily,
          .harmless = withPartsOfPretraining({"vit.decoder.*"}),
          .modelTypes = {"vit", "vit_mae", "vit_msn", "ijepa", "deit", "dpt", "flava",
                         "flava_image_model"}};
}

}  // namespace softscope
