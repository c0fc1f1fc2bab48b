#include "models/ConvertCheckpoint.h"

#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/recording/IsRecording.h"
#include "models/OpenModel.h"
#include "models/identify/ConfigurationFile.h"
#include "models/identify/ForeignParameters.h"
#include "models/identify/Metadata.h"

#include <nlohmann/json.hpp>
#include <torch/types.h>

namespace softscope {

namespace {

StateDict withPrecision(const StateDict& state, bool half) {
  if (!half) return state;
  StateDict converted;
  for (const StateDict::Entry& entry : state.entries()) {
    const bool floating = entry.tensor.is_floating_point();
    const torch::Tensor tensor = floating ? entry.tensor.to(torch::kFloat16) : entry.tensor;
    if (floating && !tensor.isfinite().all().item<bool>() &&
        entry.tensor.isfinite().all().item<bool>()) {
      throw ModelError(entry.name + " holds values too large for 16 bits; leave out --half");
    }
    converted.insert(entry.name, tensor);
  }
  return converted;
}

/// Whether it is a known network by what the file itself says.
bool isRecognised(const Checkpoint& checkpoint) {
  try {
    identifyModel(checkpoint, ModelRequest{});
    return true;
  } catch (const ModelError&) {
    return false;
  }
}

/// What config.json beside the checkpoint says of the network's numbers, which the new file would
/// lose.
void keepConfiguration(const ConfigurationFile& said, const ModelSummary& summary,
                       std::map<std::string, std::string>& metadata) {
  if (!said.fits(summary.channels)) return;
  if (!said.heads.empty()) metadata.emplace("heads", listedNumbers(summary.heads));
  if (!said.activation.empty()) metadata.emplace("activation", said.activation);
  if (said.epsilon) metadata.emplace("epsilon", nlohmann::json(*said.epsilon).dump());
}

/// Adds what identification is sure of; returns a note where it is not. Throws ModelError where
/// the weights are of a known network and the metadata do not fit it.
std::string describe(const Checkpoint& checkpoint, bool ignoresUnexpected,
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
    return "the weights are of no network Softscope knows; they were written as they are";
  }
  if (!summary.foreign.empty() && !ignoresUnexpected) {
    return "the file looks like " + summary.family + ", but " + foreignText(summary) +
           ". The weights were written as they are, of no network that Softscope knows; "
           "--ignore-unexpected calls them " +
           summary.family;
  }
  keepConfiguration(readConfigurationFile(checkpoint.path), summary, metadata);
  constexpr double sure = 0.9;
  if (summary.mechanismConfidence < sure) {
    return "the weights allow several mechanisms and nothing says which was trained; add it with "
           "--set mechanism=NAME";
  }
  metadata.emplace("architecture", summary.variant == "custom" ? summary.family : summary.variant);
  metadata.emplace("mechanism", summary.mechanism);
  if (summary.headsConfidence < sure) {
    return "nothing says how many heads these weights were trained with, or of how many tokens "
           "each landmark is; add it with --set heads=N (heads=A,B,C,D for a pyramid), or with "
           "--set ratios=A,B,C";
  }
  return {};
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
  metadata.insert(checkpoint.metadata.begin(), checkpoint.metadata.end());
  metadata.emplace("weights", checkpoint.weights);
  ConversionResult result;
  result.note = describe(checkpoint, options.ignoresUnexpected, metadata);

  const StateDict state = withPrecision(checkpoint.state, options.half);
  writeSafetensors(output, state, metadata);
  result.tensors = state.size();
  for (const StateDict::Entry& entry : state.entries()) result.parameters += entry.tensor.numel();
  return result;
}

}  // namespace softscope
