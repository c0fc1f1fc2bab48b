#include "models/identify/TrainerArguments.h"

#include "core/checkpoint/ExportedGraph.h"
#include "core/checkpoint/ModuleAttributes.h"
#include "core/model/PixelNorm.h"
#include "core/text/Words.h"
#include "models/identify/Metadata.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using Entries = std::map<std::string, std::string>;

std::string argument(const Entries& metadata, const std::string& name) {
  const auto found = metadata.find("args." + name);
  return found == metadata.end() ? std::string() : found->second;
}

/// Returns the arguments that the network was made with, under their own names.
Entries networkArguments(const Entries& metadata) {
  static constexpr std::string_view prefix = "args.model_kwargs.";
  Entries arguments;
  for (const auto& [key, value] : metadata) {
    if (key.starts_with(prefix)) arguments.emplace(key.substr(prefix.size()), value);
  }
  // An argument of the network comes after the script's own.
  const std::string pooling = argument(metadata, "gp");
  if (!pooling.empty()) arguments.emplace("global_pool", pooling);
  return arguments;
}

/// Takes the size of pictures as the script does: of the network's arguments, or else `input_size`,
/// channels first, or `img_size`.
void takePictureSize(const Entries& metadata, const Entries& network, ConfiguredTransform& taken) {
  std::vector<int> sides = numbersInMetadata(network, "img_size");
  if (sides.empty()) {
    sides = numbersInMetadata(metadata, "args.input_size");
    if (sides.size() == 3) sides.erase(sides.begin());
  }
  if (sides.empty()) sides = numbersInMetadata(metadata, "args.img_size");
  if (sides.empty() || sides.size() > 2) return;
  taken.height = sides.front();
  taken.width = sides.back();
}

ConfiguredTransform transformOfTrainer(const Entries& metadata, const Entries& network) {
  ConfiguredTransform taken;
  takePictureSize(metadata, network, taken);
  taken.mean = parsePixelMean(argument(metadata, "mean"));
  taken.deviation = parsePixelDeviation(argument(metadata, "std"));
  taken.setFilter(argument(metadata, "interpolation"));
  const auto crop = parseNumber(argument(metadata, "crop_pct"));
  if (crop && *crop > 0 && *crop <= 1) taken.cropFraction = *crop;
  return taken;
}

/// Takes the name of the network, which timm's library builds from that and the other arguments. A
/// name in a hub of others says nothing of their arguments.
void takeName(const Entries& metadata, ConfigurationFile& said) {
  std::string name = argument(metadata, "model");
  for (const std::string_view hub : {"hf-hub:timm/", "hf_hub:timm/"}) {
    if (name.starts_with(hub)) name.erase(0, hub.size());
  }
  if (name.find_first_of(":/") != std::string::npos) return;
  const std::size_t dot = name.find('.');
  said.architecture = name.substr(0, dot);
  if (dot != std::string::npos) said.tag = name.substr(dot + 1);
  if (said.activation.empty()) said.activation = activationOfTimmsName(said.architecture);
}

/// Takes what a checkpoint itself says of its network, under keys that begin with `place`, which is
/// surer than what stands beside it. `name` is what to call that part of the file.
void takeAttributes(const Entries& metadata, const std::string& place, const char* name,
                    ConfigurationFile& said) {
  Entries attributes;
  for (const auto& [key, value] : metadata) {
    // A number in a state dict of DataParallel has such a name, too: `module.bn.updates`.
    const bool isAttribute = key.starts_with(place) && key.find('.', place.size()) == key.npos;
    if (isAttribute) attributes[key.substr(place.size())] = value;
  }
  if (attributes.empty()) return;
  said.isWithinCheckpoint = true;
  said.fileName = name;
  for (const auto& [key, value] : attributes) said.values[key] = value;
  const auto text = [&](const char* key, std::string& taken) {
    if (attributes.contains(key)) taken = attributes.at(key);
  };
  if (attributes.contains("num_heads")) said.heads = numbersInMetadata(attributes, "num_heads");
  text("hidden_act", said.activation);
  text("global_pool", said.pooling);
  const bool haveOneEpsilon = !attributes.contains("block_eps");
  if (attributes.contains("layer_norm_eps") && haveOneEpsilon) {
    said.epsilon = parseNumber(attributes.at("layer_norm_eps"));
  }
}

}  // namespace

ConfigurationFile argumentsOfTrainer(const Entries& metadata) {
  ConfigurationFile said;
  // Other scripts' `args` have the one or the other, under which they may mean something else.
  if (!metadata.contains("args.model") || !metadata.contains("args.interpolation")) return said;
  said.isWithinCheckpoint = true;
  said.fileName = said.transformFile = "args";
  said.values = networkArguments(metadata);
  const auto text = [&](const char* key) {
    const auto found = said.values.find(key);
    return found == said.values.end() ? std::string() : found->second;
  };
  said.heads = numbersInMetadata(said.values, "num_heads");
  for (const char* key : {"embed_dim", "embed_dims"}) {
    if (said.channels.empty()) said.channels = numbersInMetadata(said.values, key);
  }
  said.activation = text("act_layer");
  said.pooling = text("global_pool");
  takeName(metadata, said);
  said.transform = transformOfTrainer(metadata, said.values);
  return said;
}

ConfigurationFile configurationOf(const Checkpoint& checkpoint) {
  ConfigurationFile said = readConfigurationFile(checkpoint.path);
  const bool isSilent = said.values.empty() && said.channels.empty() && said.architecture.empty() &&
                        !said.transform.extent;
  if (isSilent) {
    ConfigurationFile stored = argumentsOfTrainer(checkpoint.metadata);
    if (stored.isWithinCheckpoint) {
      stored.unread = said.unread;
      said = std::move(stored);
    }
  }
  takeAttributes(checkpoint.metadata, moduleAttributesPlace, "the pickled module", said);
  takeAttributes(checkpoint.metadata, exportedGraphPlace, "the exported program", said);
  return said;
}

}  // namespace softscope
