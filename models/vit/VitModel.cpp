#include "models/vit/VitModel.h"

#include "core/Error.h"
#include "models/vit/VitNetwork.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

constexpr int publishedVitHead = 64;

struct VitWidth {
  int channels;
  int heads;
  const char* reason;
};

constexpr std::array<VitWidth, 5> unusualVitWidths{{
    {1152, 16, "networks as wide as SO400M have 16 heads"},
    {1280, 16, "networks as wide as ViT-H, ViT-g and ViT-G have 16 heads"},
    {1408, 16, "networks as wide as ViT-H, ViT-g and ViT-G have 16 heads"},
    {1536, 24, "DINOv2's ViT-g is as wide and has 24 heads"},
    {1664, 16, "networks as wide as ViT-H, ViT-g and ViT-G have 16 heads"},
}};

struct NamedActivation {
  std::string_view name;
  VitActivation activation;
};

/// Hugging Face's words for them; its `gelu_fast` and others are left out, which nobody trained a
/// vision transformer with.
constexpr NamedActivation vitActivations[] = {
    {"gelu", VitActivation::Gelu},
    {"relu", VitActivation::Relu},
    {"quick_gelu", VitActivation::QuickGelu},
    {"gelu_new", VitActivation::TanhGelu},
    {"gelu_pytorch_tanh", VitActivation::TanhGelu},
};

std::optional<VitActivation> findActivation(const std::string& name) {
  for (const NamedActivation& known : vitActivations) {
    if (known.name == name) return known.activation;
  }
  return std::nullopt;
}

VitActivation activationNamed(const std::string& name) {
  if (const auto known = findActivation(name)) return *known;
  throw ModelError("config.json beside the file says the activation " + name +
                   ", which Softscope does not compute; it knows gelu, relu, quick_gelu, gelu_new "
                   "and gelu_pytorch_tanh");
}

}  // namespace

DefaultHeads defaultVitHeads(int channels, const std::string& network) {
  for (const VitWidth& width : unusualVitWidths) {
    if (channels == width.channels) {
      return {width.heads, 0.9, width.reason, possibleHeads(channels)};
    }
  }
  if (channels % publishedVitHead != 0) return assumedHeads(channels, network);
  return {channels / publishedVitHead};
}

namespace {

/// What `convert` keeps of a configuration in the file itself.
void applyKept(const std::map<std::string, std::string>& metadata,
               VitConfiguration& configuration) {
  if (const auto kept = metadata.find("epsilon"); kept != metadata.end()) {
    double epsilon = 0;
    const char* end = kept->second.data() + kept->second.size();
    const auto [stop, error] = std::from_chars(kept->second.data(), end, epsilon);
    if (error == std::errc() && stop == end && epsilon >= 0 && epsilon < 1) {
      configuration.epsilon = epsilon;
    }
  }
  const auto kept = metadata.find("activation");
  if (kept == metadata.end() || configuration.activation == VitActivation::Swiglu) return;
  configuration.activation = findActivation(kept->second).value_or(configuration.activation);
}

}  // namespace

void applyConfiguration(const ModelHints& hints, VitConfiguration& configuration) {
  applyKept(hints.metadata, configuration);
  const ConfigurationFile& said = hints.configuration;
  if (!said.fits(configuration.channels)) return;
  configuration.epsilon = said.epsilon.value_or(configuration.epsilon);
  if (configuration.activation == VitActivation::Swiglu) return;
  if (!said.activation.empty()) configuration.activation = activationNamed(said.activation);
}

DefinedModel defineVit(VitConfiguration configuration, const VitIdentity& identity,
                       const ModelHints& hints) {
  if (hints.attention && *hints.attention != "softmax") {
    throw ModelError("the weights of a " + identity.network +
                     " allow no other --attention than "
                     "softmax");
  }
  applyConfiguration(hints, configuration);
  const ResolvedHeads heads = resolveHeads(
      configuration.channels, defaultVitHeads(configuration.channels, identity.network), hints);
  configuration.heads = heads.heads;

  ModelSummary summary;
  summary.family = identity.family;
  summary.variant = identity.variant;
  summary.mechanism = "softmax";
  summary.alternatives = {"softmax"};
  summary.mechanismConfidence = 1;
  summary.reason = "Names and shapes are those of " + identity.network + ".";
  describeHeads(heads, summary);
  summary.heads = {configuration.heads};
  summary.channels = configuration.channels;
  summary.classes = configuration.classes;
  summary.transform = identity.transform;
  for (const std::string& block : configuration.names.blocks) {
    summary.layers.push_back({.name = block + "." + configuration.names.block.attention,
                              .mechanism = "softmax",
                              .stage = 1,
                              .heads = configuration.heads});
  }
  return {std::move(summary), std::make_shared<VitNetwork>(configuration)};
}

void inputSizeOfPositions(int positions, int patch, InputTransform& transform) {
  int rows = 1;
  for (int candidate = 1; candidate * candidate <= positions; ++candidate) {
    if (positions % candidate == 0) rows = candidate;
  }
  transform.height = rows * patch;
  transform.width = positions / rows * patch;
}

}  // namespace softscope
