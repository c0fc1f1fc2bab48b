#include "models/swin/SwinSettings.h"

#include "models/identify/ConfiguredValues.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/StoredOptions.h"
#include "models/swin/PublishedSwins.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

constexpr const char* trainedWindowsKey = "pretrained_window_sizes";
constexpr const char* partitionKey = "always_partition";
/// A source that a converted file keeps.
constexpr const char* namesOfSwin = "by its names";

/// Returns true for the place of MaskFormer's own Swin, where Mask2Former has Swin itself.
bool isOfMaskFormer(const SwinConfiguration& configuration) {
  return configuration.names.prefix.ends_with("pixel_level_module.encoder.model.");
}

SettingKnowledge knownOfSwins(const SwinConfiguration& configuration, const ModelHints& hints) {
  return knownOfPublished(swinNetworkName(configuration), publishedSwin(configuration) != nullptr,
                          swinFile(configuration, hints));
}

NetworkSetting resolveSwinActivation(SwinConfiguration& configuration, const ModelHints& hints) {
  NetworkSetting setting = resolveMlpActivation(knownOfSwins(configuration, hints),
                                                swinFile(configuration, hints), hints);
  configuration.activation = activationOfOption(setting.value);
  return setting;
}

NetworkSetting resolveSwinEpsilon(SwinConfiguration& configuration, const ModelHints& hints) {
  const ConfigurationFile* said = swinFile(configuration, hints);
  const bool isHuggingFace = configuration.names.library == SwinNames::Library::HuggingFace;
  const auto told = isHuggingFace && said != nullptr ? said->epsilon : std::nullopt;
  return resolveEpsilon(knownOfSwins(configuration, hints), told, hints, configuration.epsilon);
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

/// Returns where the windows are told that Swin V2's biases were trained with; empty if nowhere.
std::string sourceOfTrainedWindows(const SwinConfiguration& configuration,
                                   const ModelHints& hints) {
  const ConfigurationFile* said = swinFile(configuration, hints);
  const bool isNamed = namesNetwork(said);
  if (isNamed || !configuredValue(said, trainedWindowsKey).empty()) return "from " + said->fileName;
  const auto named = namedSwin(configuration, hints);
  return named ? named->source : std::string();
}

/// Returns a number for each stage if the text is one number for all or one for each.
std::vector<int> trainedWindowsIn(const std::string& text, std::size_t stages) {
  constexpr int largest = 256;
  std::vector<int> sides = listedSwinNumbers(text);
  if (sides.size() == 1) sides.assign(stages, sides.front());
  const bool fits = sides.size() == stages && std::ranges::max(sides) <= largest;
  return fits ? sides : std::vector<int>{};
}

/// The logarithms of positions are in units of the windows that the biases were first trained with,
/// as in networks whose windows have grown since. No weight tells them.
void resolveTrainedWindows(SwinConfiguration& configuration, const ModelHints& hints,
                           ModelSummary& summary) {
  std::vector<int> usual;
  for (const SwinStage& stage : configuration.stages) usual.push_back(stage.pretrainedWindow);
  const std::size_t stages = configuration.stages.size();
  const std::string value = resolveStoredOption(
      {.key = trainedWindowsKey,
       .usual = listedNumbers(usual),
       .reason = "a Swin V2 may have been trained with smaller windows first, and no weight tells "
                 "their sizes",
       .network = "Swin V2",
       .computed = {"a number for each stage, such as 12,12,12,6, or 0 for the windows themselves"},
       .accepts = [&](const std::string& text) { return !trainedWindowsIn(text, stages).empty(); },
       .toldBy = sourceOfTrainedWindows(configuration, hints)},
      hints, summary);
  const std::vector<int> sides = trainedWindowsIn(value, stages);
  for (std::size_t s = 0; s < stages; ++s) configuration.stages[s].pretrainedWindow = sides[s];
}

/// Returns where it is told whether Hugging Face's windows are those of MaskFormer's Swin, which
/// has Swin's names; empty if nowhere.
std::string sourceOfMaskFormer(const SwinConfiguration& configuration, const ModelHints& hints) {
  const ConfigurationFile* said = swinFile(configuration, hints);
  const bool isNamed = said != nullptr && !said->modelType.empty();
  if (isNamed && said->modelType == "maskformer-swin") return "from " + said->fileName;
  // The library gives its own Swin this prefix, and MaskFormer's this place.
  const std::string& prefix = configuration.names.prefix;
  if (prefix.ends_with("swin.") || configuration.classes > 0 || isOfMaskFormer(configuration)) {
    return namesOfSwin;
  }
  return isNamed ? "from " + said->fileName : std::string();
}

/// Windows and shifts stay on grids that have room for one window alone in MaskFormer's Swin, and
/// in no other of Hugging Face's networks.
void resolveMaskFormer(SwinConfiguration& configuration, const ModelHints& hints,
                       ModelSummary& summary) {
  const ConfigurationFile* said = swinFile(configuration, hints);
  const bool isSaid = said != nullptr && said->modelType == "maskformer-swin";
  const bool isIt = isSaid || isOfMaskFormer(configuration);
  const std::string source = sourceOfMaskFormer(configuration, hints);
  configuration.alwaysPartitions =
      resolveStoredOption({.key = partitionKey,
                           .usual = isIt ? "true" : "false",
                           .isCertain = !source.empty(),
                           .reason = "MaskFormer's Swin has the same names and keeps windows and "
                                     "shifts on small grids, and no weight tells it",
                           .network = "Swin",
                           .computed = {"true", "false"},
                           .toldBy = source == namesOfSwin ? "" : source},
                          hints, summary) == "true";
}

/// timm's networks may keep windows and shifts on grids that have room for one window alone.
void resolvePartition(SwinConfiguration& configuration, const ModelHints& hints,
                      ModelSummary& summary) {
  const SettingKnowledge known = knownOfSwins(configuration, hints);
  const ConfigurationFile* said = swinFile(configuration, hints);
  const bool isPublished = publishedSwin(configuration) != nullptr;
  configuration.alwaysPartitions =
      resolveStoredOption({.key = partitionKey,
                           .usual = "false",
                           .isCertain = known.isCertain,
                           .reason = known.reason,
                           .network = swinNetworkName(configuration),
                           .computed = {"true", "false"},
                           .toldBy = isPublished || !namesNetwork(said) ? "" : known.reason},
                          hints, summary, said) == "true";
}

}  // namespace

std::string swinNetworkName(const SwinConfiguration& configuration) {
  return configuration.isV2 ? "Swin V2" : "Swin";
}

void resolveSwinSettings(SwinConfiguration& configuration, const ModelHints& hints,
                         ModelSummary& summary) {
  describeSetting(resolveSwinActivation(configuration, hints), summary);
  describeSetting(resolveSwinEpsilon(configuration, hints), summary);
  const bool isTimms = configuration.names.library == SwinNames::Library::Timm;
  const ConfigurationFile* said = swinFile(configuration, hints);
  if (configuration.classes > 0 && isTimms) {
    const NetworkSetting pooling = resolveMapPooling(
        swinNetworkName(configuration), publishedSwin(configuration) != nullptr, said, hints);
    configuration.pooling = mapPoolingOfOption(pooling.value);
    describeSetting(pooling, summary);
  } else if (configuration.classes > 0) {
    requireConfiguredPooling(said, {"mean"}, swinNetworkName(configuration));
  }
  // Stored positions tell the windows, and what they are measured in.
  if (configuration.isV2 && !configuration.hasCoordinates) {
    describeSetting(resolveSwinWindow(configuration, hints), summary);
    resolveTrainedWindows(configuration, hints, summary);
  }
  if (isTimms) resolvePartition(configuration, hints, summary);
  const bool isHuggingFace = configuration.names.library == SwinNames::Library::HuggingFace;
  if (isHuggingFace && !configuration.isV2) resolveMaskFormer(configuration, hints, summary);
}

}  // namespace softscope
