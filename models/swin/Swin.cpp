#include "core/Error.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/StoredOptions.h"
#include "models/swin/SwinConfiguration.h"
#include "models/swin/SwinNetwork.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct PublishedSwin {
  const char* size;
  int channels;
  std::array<int, 4> depths;
  /// The shorter side that torchvision crops 224 pixels from, or 256 for Swin V2.
  int shorterSide;
  int shorterSideV2;
};

constexpr PublishedSwin publishedSwins[] = {{"tiny", 96, {2, 2, 6, 2}, 232, 260},
                                            {"small", 96, {2, 2, 18, 2}, 246, 260},
                                            {"base", 128, {2, 2, 18, 2}, 238, 272},
                                            {"large", 192, {2, 2, 18, 2}, 256, 292}};

const PublishedSwin* publishedSwin(const SwinConfiguration& configuration) {
  std::vector<int> depths;
  for (const SwinStage& stage : configuration.stages) depths.push_back(stage.depth);
  const auto* found = std::ranges::find_if(publishedSwins, [&](const PublishedSwin& variant) {
    return variant.channels == configuration.stages.front().channels &&
           std::ranges::equal(variant.depths, depths);
  });
  return found == std::end(publishedSwins) || configuration.patch != 4 ? nullptr : found;
}

std::string swinNetworkName(const SwinConfiguration& configuration) {
  return configuration.isV2 ? "Swin V2" : "Swin";
}

/// Returns timm's name of a published network: `swin_tiny_patch4_window7_224`.
std::string swinVariant(const SwinConfiguration& configuration) {
  const PublishedSwin* published = publishedSwin(configuration);
  const int window = configuration.stages.front().window.height;
  const bool isOfOneWindow = std::ranges::all_of(
      configuration.stages, [&](const SwinStage& stage) { return stage.window.height == window; });
  if (published == nullptr || !isOfOneWindow) return "custom";
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

NetworkSetting resolveSwinActivation(SwinConfiguration& configuration, const ModelHints& hints) {
  SettingKnowledge known{.usual = "gelu", .reason = "as in every published Swin Transformer"};
  known.isCertain = true;
  known.choices = {"gelu", "gelu_tanh", "relu"};
  NetworkSetting setting =
      resolveActivation(std::move(known), swinFile(configuration, hints), hints);
  configuration.activation = activationOfOption(setting.value);
  return setting;
}

NetworkSetting resolveSwinEpsilon(SwinConfiguration& configuration, const ModelHints& hints) {
  SettingKnowledge known{.reason = "as in every published Swin Transformer"};
  known.isCertain = true;
  const ConfigurationFile* said = swinFile(configuration, hints);
  const bool isHuggingFace = configuration.names.library == SwinNames::Library::HuggingFace;
  const auto told = isHuggingFace && said != nullptr ? said->epsilon : std::nullopt;
  return resolveEpsilon(std::move(known), told, hints, configuration.epsilon);
}

/// No weight of Swin V2 has the size of its windows.
NetworkSetting resolveSwinWindow(SwinConfiguration& configuration, const ModelHints& hints) {
  constexpr int usualWindow = 8;
  const SaidSwinWindow said = saidSwinWindow(configuration, hints);
  SettingKnowledge known{.option = "window",
                         .usual = std::to_string(said.window.value_or(usualWindow)),
                         .reason = said.window ? said.source
                                               : "Swin V2 computes its biases for windows of any "
                                                 "size, and no weight tells it"};
  known.isCertain = said.window.has_value();
  known.choices = {"7", "8", "12", "16", "24"};
  known.isOpen = true;
  const NetworkSetting setting = resolveSetting(known, hints);
  const int window = std::stoi(setting.value);
  // A window that was chosen replaces those of all stages.
  if (!said.window || window != *said.window) {
    for (SwinStage& stage : configuration.stages) stage.window = {window, window};
  }
  return setting;
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
  if (hints.attention) requireAllowed("Swin", {"softmax_window"}, *hints.attention);
  SwinConfiguration configuration = readSwin(state, hints);
  requireHeadsOfWeights(swinNetworkName(configuration), configuration.stages.back().heads, hints);
  if (configuration.classes > 0) {
    requireConfiguredPooling(swinFile(configuration, hints), {"mean"},
                             swinNetworkName(configuration));
  }
  std::vector<NetworkSetting> settings{resolveSwinActivation(configuration, hints),
                                       resolveSwinEpsilon(configuration, hints)};
  // torchvision stores the positions, whose number tells the window.
  if (configuration.isV2 && !configuration.hasCoordinates) {
    settings.push_back(resolveSwinWindow(configuration, hints));
  }
  ModelSummary summary;
  summary.family = "swin";
  summary.variant = swinVariant(configuration);
  summary.mechanism = "softmax_window";
  summary.alternatives = {"softmax_window"};
  summary.mechanismConfidence = 1;
  summary.reason = "Names and shapes are those of " + swinNetworkName(configuration) + ".";
  for (const NetworkSetting& setting : settings) describeSetting(setting, summary);
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  summary.transform = swinTransform(configuration, hints);
  listSwinLayers(configuration, summary);
  DefinedModel model{std::move(summary), std::make_shared<SwinNetwork>(configuration)};
  model.pixelNorms = {"imagenet"};
  model.otherWidths = {configuration.stages.front().channels};
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
               "*mask_token", "decoder.*"},
          .modelTypes = {"swin", "swinv2", "maskformer-swin", "upernet"}};
}

}  // namespace softscope
