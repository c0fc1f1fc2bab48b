#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/StoredOptions.h"
#include "models/swin/PublishedSwins.h"
#include "models/swin/SwinConfiguration.h"
#include "models/swin/SwinNetwork.h"
#include "models/swin/SwinSettings.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Returns timm's name of a published network: `swin_tiny_patch4_window7_224`.
std::string swinVariant(const SwinConfiguration& configuration) {
  const PublishedSwin* published = publishedSwin(configuration);
  const int window = configuration.stages.front().window.height;
  const bool isOfOneWindow = std::ranges::all_of(
      configuration.stages, [&](const SwinStage& stage) { return stage.window.height == window; });
  if (published == nullptr || published->isS3 || !isOfOneWindow) return "custom";
  const std::string side = std::to_string(configuration.imageHeight);
  const std::string windowText = "window" + std::to_string(window);
  if (!configuration.isV2) {
    return std::string("swin_") + published->size + "_patch4_" + windowText + "_" + side;
  }
  const int trained = configuration.stages.front().pretrainedWindow;
  const std::string size = std::string("swinv2_") + published->size + "_";
  if (trained == 0) return size + windowText + "_" + side;
  return size + "window" + std::to_string(trained) + "to" + std::to_string(window) + "_192to" +
         side;
}

/// Returns whether the authors' evaluation resizes whole pictures, as TEST.CROP says: it does for
/// all their networks of 384 pixels.
bool seesWholePictures(const SwinConfiguration& configuration, const ModelHints& hints) {
  const bool isLarge = configuration.imageHeight >= 384;
  return storedValue("TEST.CROP", hints).value_or(isLarge ? "false" : "true") == "false";
}

InputTransform swinTransform(const SwinConfiguration& configuration, const ModelHints& hints) {
  InputTransform transform;
  transform.height = configuration.imageHeight;
  transform.width = configuration.imageWidth;
  transform.cropFraction = 0.9;
  const PublishedSwin* published = publishedSwin(configuration);
  switch (configuration.names.library) {
    case SwinNames::Library::Torchvision:
      if (published == nullptr) break;
      transform.cropFraction =
          configuration.isV2 ? 256.0 / published->shorterSideV2 : 224.0 / published->shorterSide;
      break;
    case SwinNames::Library::HuggingFace:
      transform.extent = InputTransform::Extent::Whole;
      break;
    case SwinNames::Library::Timm:
      if (configuration.imageHeight >= 384) transform.cropFraction = 1;
      break;
    case SwinNames::Library::Authors:
      transform.cropFraction = 0.875;
      if (seesWholePictures(configuration, hints)) transform.extent = InputTransform::Extent::Whole;
      break;
  }
  return transform;
}

void listSwinLayers(const SwinConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const SwinStage& stage = configuration.stages[s];
    for (int i = 0; i < stage.depth; ++i) {
      summary.layers.push_back({.name = configuration.names.blocks(static_cast<int>(s)) +
                                        std::to_string(i) + "." + configuration.names.attention,
                                .mechanism = "softmax_window",
                                .stage = static_cast<int>(s) + 1,
                                .heads = stage.heads});
    }
    summary.heads.push_back(stage.heads);
  }
}

DefinedModel defineSwin(const StateDict& state, const ModelHints& hints) {
  SwinConfiguration configuration = readSwin(state, hints);
  requireOnly(swinNetworkName(configuration), "softmax_window", hints);
  requireHeadsOfWeights(swinNetworkName(configuration), configuration.stages.back().heads, hints);
  ModelSummary summary;
  summary.family = "swin";
  resolveSwinSettings(configuration, hints, summary);
  summary.variant = swinVariant(configuration);
  summary.setOnlyMechanism("softmax_window");
  summary.reason = "Names and shapes are those of " + swinNetworkName(configuration) + ".";
  if (!configuration.hasNorm) {
    summary.reason += " It has no norm behind its last stage, and features are taken before any.";
  }
  summary.channels = configuration.stages.back().channels;
  if (configuration.names.library == SwinNames::Library::Authors && !configuration.isV2) {
    resolveHeadScale("Swin", publishedSwin(configuration) != nullptr, hints, summary,
                     "MODEL.SWIN.QK_SCALE");
  }
  summary.classes = configuration.classes;
  summary.transform = swinTransform(configuration, hints);
  listSwinLayers(configuration, summary);
  DefinedModel model{std::move(summary), std::make_shared<SwinNetwork>(configuration)};
  model.pixelNorms = {"imagenet"};
  model.otherWidths = {configuration.stages.front().channels};
  model.part = configuration.names.prefix;
  return model;
}

}  // namespace

Family swinFamily() {
  return {.name = "swin",
          .networks = "Swin, Swin V2",
          .attention = "softmax within windows",
          .recognises = [](const StateDict& state) { return swinNamesOf(state).has_value(); },
          .define = defineSwin,
          .harmless =
              {// Constants that older files have.
               "*relative_position_index", "*relative_coords_table", "*.attn_mask", "*.attn.k_bias",
               // For pretraining with hidden patches.
               "*mask_token", "decoder.*",
               // The norms of the stages that a backbone gives to detectors, and the last norm,
               // which such a backbone saves and does not use.
               "*hidden_states_norms.*", "*swin.layernorm.*", "*swinv2.layernorm.*"},
          .modelTypes = {"swin", "swinv2", "donut-swin", "maskformer-swin", "upernet", "maskformer",
                         "mask2former", "oneformer", "grounding-dino", "omdet-turbo"}};
}

}  // namespace softscope
