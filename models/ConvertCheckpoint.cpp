#include "models/ConvertCheckpoint.h"

#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/HalfPrecision.h"
#include "core/checkpoint/Safetensors.h"
#include "core/model/ClassNames.h"
#include "core/model/PixelNorm.h"
#include "core/model/SettingOption.h"
#include "core/recording/RecordingPreview.h"
#include "core/text/Words.h"
#include "models/OpenModel.h"
#include "models/WithoutWrapper.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/Metadata.h"
#include "models/identify/Parameters.h"
#include "models/identify/ResolvedSetting.h"

#include <nlohmann/json.hpp>
#include <torch/types.h>

#include <iterator>

namespace softscope {

namespace {

StateDict withPrecision(const StateDict& state, bool half) {
  if (!half) return state;
  StateDict converted;
  for (const StateDict::Entry& entry : state.entries()) {
    converted.insert(entry.name, inHalfPrecision(entry.name, entry.tensor, "leave out --half"));
  }
  return converted;
}

/// Returns the tensors without buffers that a whole module's state_dict() would leave out, unless a
/// network that is read by structure may compute with them.
StateDict stateToWrite(const Checkpoint& checkpoint) {
  const bool areOfFamily =
      !checkpoint.temporary.empty() && isOfAnyFamily(withoutWrapper(checkpoint).state);
  if (!areOfFamily) return checkpoint.state;
  StateDict kept;
  for (const StateDict::Entry& entry : checkpoint.state.entries()) {
    if (checkpoint.temporary.contains(checkpoint.prefix + entry.name)) continue;
    kept.insert(entry.name, entry.tensor);
  }
  return kept;
}

/// Returns true if the file's own content identifies a known network.
bool isRecognised(const Checkpoint& checkpoint) {
  try {
    identifyModel(checkpoint, ModelRequest{});
    return true;
  } catch (const ModelError&) {
    return false;
  }
}

/// Keeps settings that the weights do not determine. The new file would otherwise lose them
/// together with its old name and the config.json beside it.
void keepSettings(const ModelSummary& summary, std::map<std::string, std::string>& metadata) {
  const std::map<std::string, std::string> numbers{
      {"heads", listedNumbers(summary.heads)},
      {"mean", channelsText(summary.transform.mean)},
      {"std", channelsText(summary.transform.deviation)}};
  for (const NetworkSetting& setting : summary.settings) {
    const auto number = numbers.find(setting.option);
    const bool isNumber = number != numbers.end();
    const bool isOpen = setting.isChoosable() || isNumber || isToldByKey(setting.option);
    if (setting.isUndetermined() || setting.idleHeight > 0 || !isOpen) continue;
    metadata.emplace(setting.option, isNumber ? number->second : setting.value);
  }
}

/// Returns `heads=N, epsilon=E`: the settings to add with `--set`.
std::string missingText(const std::vector<NetworkSetting>& undetermined) {
  return listText(undetermined, ", ", [](const NetworkSetting& setting) {
    return (setting.option == "attention" ? "mechanism" : setting.option) + "=" + setting.value;
  });
}

/// Throws ModelError if a given value would be ignored by whoever reads the new file.
void requireReadable(const std::map<std::string, std::string>& given) {
  for (const auto& [key, value] : given) {
    if (const std::string taken = unreadableEntry(key, value); !taken.empty()) {
      throw ModelError(key + " takes " + taken + ", not \"" + value + "\"");
    }
    const SettingOption* option = findSettingOption(key);
    const bool isHeads = key == "heads";
    if (option == nullptr && !isHeads) continue;
    const bool isRead =
        isHeads ? parseHeadCounts(value).has_value() : option->accepts(settingWord(key, value));
    if (isRead) continue;
    throw ModelError(key + " takes " + (isHeads ? "N or A,B,..." : takenText(*option)) +
                     ", not \"" + value + "\"");
  }
}

/// Throws ModelError if the names that are given for the classes are not as many as the model has.
void requireNameOfEveryClass(const ConversionOptions& options, const ModelSummary& summary) {
  const auto names = namesInMetadata(options.metadata);
  if (!names || options.classNames || std::ssize(*names) == summary.classes) return;
  throw ModelError("classes holds " + countedText(std::ssize(*names), "name") +
                   ", not one for each of the " + std::to_string(summary.classes) + " classes of " +
                   summary.path);
}

/// Adds what identification is certain of to the metadata; returns a note if it is uncertain.
/// Throws ModelError if the weights are of a known network and the metadata do not fit it.
std::string describe(const Checkpoint& checkpoint, const ConversionOptions& options,
                     std::map<std::string, std::string>& metadata) {
  ModelRequest request;
  Checkpoint described = checkpoint;
  described.metadata = metadata;
  if (metadata.count("mechanism") > 0) request.attention = metadata.at("mechanism");
  ModelSummary summary;
  try {
    summary = identifyModel(described, request);
  } catch (const ModelError&) {
    if (isRecognised(checkpoint)) throw;
    if (options.classNames) {
      throw ModelError(*options.classNames +
                       ": names classes of weights that are of no network Softscope knows");
    }
    return "the weights are of no network Softscope knows; they were written as they are";
  }
  requireNameOfEveryClass(options, summary);
  if (options.classNames) {
    nameClasses(summary, *options.classNames);
    metadata["classes"] = nlohmann::json(summary.classNames).dump();
  }
  if (!summary.foreign.empty() && !options.ignoresUnexpected) {
    return "the file looks like " + summary.family + ", but " + foreignText(summary) +
           ". The weights were written as they are, of no network that Softscope knows; "
           "--ignore-unexpected calls them " +
           summary.family;
  }
  keepSettings(summary, metadata);
  constexpr double sure = 0.9;
  if (summary.mechanismConfidence >= sure) {
    metadata.emplace("architecture", summary.isPublished() ? summary.variant : summary.family);
    metadata.emplace("mechanism", summary.mechanism);
  }
  const std::vector<NetworkSetting> undetermined = summary.undetermined();
  if (undetermined.empty()) return {};
  return "nothing says with what these weights were trained; add it with --set. Assumed until "
         "then: " +
         missingText(undetermined);
}

}  // namespace

ConversionResult convertCheckpoint(const std::string& input, const std::string& output,
                                   const ConversionOptions& options) {
  const std::string extension = ".safetensors";
  if (output.size() <= extension.size() ||
      output.compare(output.size() - extension.size(), extension.size(), extension) != 0) {
    throw FileError(output, "convert writes .safetensors; give the file that extension");
  }
  if (isRecording(input))
    throw FileError(input, "is a recording, which holds no weights to convert");
  WeightsChoice choice = WeightsChoice::Published;
  if (options.weights) choice = *options.weights == "ema" ? WeightsChoice::Ema : WeightsChoice::Raw;
  const Checkpoint checkpoint = readCheckpoint(input, choice);

  std::map<std::string, std::string> metadata = options.metadata;
  const bool isOurs = isWrittenBySoftscope(checkpoint.metadata);
  for (const auto& [name, value] : checkpoint.metadata) {
    // In the new file, a number of the training would pass for the network's.
    if (isOurs || !isGenericName(name)) metadata.emplace(name, value);
  }
  metadata.emplace("weights", checkpoint.weights);
  ConversionResult result;
  requireReadable(options.metadata);
  result.note = describe(checkpoint, options, metadata);

  const StateDict state = withPrecision(stateToWrite(checkpoint), options.half);
  writeSafetensors(output, state, metadata);
  result.tensors = state.size();
  for (const StateDict::Entry& entry : state.entries()) result.parameters += entry.tensor.numel();
  return result;
}

}  // namespace softscope
