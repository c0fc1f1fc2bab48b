#include "core/Error.h"
#include "core/model/InputSize.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/Families.h"
#include "models/identify/GivenNames.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/rala/RalaNetwork.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct PublishedRala {
  const char* name;
  std::vector<int> channels;
  std::vector<int> depths;
  int projectionOfMala;  ///< of the MALA with the same stages
};

const PublishedRala publishedRalas[] = {
    {"ravlt_t", {64, 128, 256, 512}, {2, 2, 6, 2}, 2048},
    {"ravlt_s", {64, 128, 320, 512}, {3, 5, 9, 3}, 2048},
    {"ravlt_b", {96, 192, 384, 512}, {4, 6, 12, 6}, 2048},
    {"ravlt_l", {96, 192, 448, 640}, {4, 7, 19, 8}, 2560},
};

constexpr int publishedRalaProjection = 1024;

/// Stages after these have softmax attention in published networks.
constexpr std::size_t publishedLinearStages = 2;

/// The authors' argument that says which blocks have which attention.
constexpr const char* ralaFlagsKey = "flagss";

/// Other networks of the authors rotate queries and keys as well, but have no `o` beside them.
bool isRala(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, "layers.") && entry.name.find(".attn.qkvo.") != std::string::npos;
  });
}

RalaStageConfiguration readRalaStage(const ShapeReader& shapes, int index) {
  const std::string stage = "layers." + std::to_string(index) + ".";
  const std::string block = stage + "blocks.0.";
  const std::string name = "stage " + std::to_string(index + 1);
  RalaStageConfiguration sizes;
  sizes.depth = shapes.require(shapes.count(stage + "blocks."), "the blocks of " + name);
  sizes.channels = shapes.require(
      shapes.size({block + "norm1.norm.weight", block + "norm1.norm.bias", block + "pos.bias"}, 0),
      "the channels of " + name);
  sizes.hidden = shapes.require(shapes.size({block + "ffn.fc1.weight", block + "ffn.fc1.bias"}, 0),
                                "the mlp of " + name);
  // There are half as many rates as a head has channels.
  const int rates = shapes.require(shapes.size({stage + "RoPE.angle"}, 0), "the heads of " + name);
  sizes.heads = std::max(1, sizes.channels / (2 * rates));
  if (rates % 2 != 0 || sizes.heads * 2 * rates != sizes.channels) {
    throw ModelError("this looks like RAVLT, but " + std::to_string(sizes.channels) +
                     " channels make no whole number of heads of " + std::to_string(2 * rates) +
                     " in " + name + "; the file may be damaged");
  }
  sizes.layerScale =
      shapes.any(stage + "blocks.", ".gamma_1") || shapes.any(stage + "blocks.", ".gamma_2");
  return sizes;
}

RalaConfiguration readRalaConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "RAVLT");
  RalaConfiguration configuration;
  const int stages = shapes.require(shapes.count("layers."), "its stages");
  for (int index = 0; index < stages; ++index) {
    configuration.stages.push_back(readRalaStage(shapes, index));
  }
  const std::string stem = "patch_embed.proj.";
  configuration.stemChannels =
      shapes.require(shapes.size({stem + "0.weight", stem + "0.bias"}, 0), "its stem");
  configuration.projection = shapes.require(
      shapes.size({"proj.weight", "proj.bias", "norm.weight"}, 0), "its last projection");
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  return configuration;
}

/// Returns the network with these stages; null if no one published it.
const PublishedRala* publishedRala(const RalaConfiguration& configuration) {
  std::vector<int> channels;
  std::vector<int> depths;
  for (const RalaStageConfiguration& stage : configuration.stages) {
    channels.push_back(stage.channels);
    depths.push_back(stage.depth);
  }
  for (const PublishedRala& variant : publishedRalas) {
    if (variant.channels == channels && variant.depths == depths) return &variant;
  }
  return nullptr;
}

std::string ralaVariant(const RalaConfiguration& configuration) {
  const PublishedRala* published = publishedRala(configuration);
  const bool fits = published != nullptr && configuration.projection == publishedRalaProjection;
  return fits ? published->name : "custom";
}

[[noreturn]] void refuseMala(const std::string& because) {
  throw ModelError(
      "this is MALA, " + because +
      "; it has RAVLT's names and another attention, which Softscope does not compute; "
      "it opens RAVLT");
}

/// Returns true for `MALA_T.pth`, and false for `malaria.pth`.
bool isNameOfMala(const std::string& name) {
  constexpr std::string_view mala = "mala";
  const bool goesOn =
      name.size() > mala.size() && std::isalpha(static_cast<unsigned char>(name[mala.size()])) != 0;
  return startsWith(lowerCase(name), mala) && !goesOn;
}

/// Throws ModelError for MALA, of "Rectifying Magnitude Neglect in Linear Attention", 2025, whose
/// parameters have the same names and, at the same sizes, the same shapes.
void requireNoMala(const RalaConfiguration& configuration, const ModelHints& hints) {
  const bool isTold = hints.attention || hints.architecture;
  for (const GivenName& given : givenNames(hints)) {
    if (!isTold && isNameOfMala(given.name)) {
      refuseMala("since " + given.place + quotedText(given.name));
    }
  }
  const PublishedRala* published = publishedRala(configuration);
  if (published != nullptr && configuration.projection == published->projectionOfMala) {
    refuseMala("whose published networks have " + std::to_string(configuration.projection) +
               " channels behind the last stage, where RAVLT has " +
               std::to_string(publishedRalaProjection));
  }
}

/// Adds that the attention is a guess, unless the sizes are published or a user says so.
void describeRalaMechanism(const ModelHints& hints, ModelSummary& summary) {
  const bool isTold = hints.attention || hints.architecture || hints.metadata.contains("mechanism");
  if (isTold || summary.isPublished()) return;
  constexpr double guessed = 0.5;
  summary.mechanismConfidence = guessed;
  summary.settings.push_back({.option = "attention",
                              .value = summary.mechanism,
                              .source = "assumed",
                              .choices = {summary.mechanism},
                              .why = "no published RAVLT has these sizes, and MALA's attention has "
                                     "the same weights, which Softscope does not compute"});
}

/// Reads `l,l,lv,v`, a letter for each block or one for all of a stage, which is l for linear and v
/// for softmax attention. Returns a list for each stage, or nothing if they are not of these
/// depths.
std::optional<std::vector<std::vector<bool>>> parseRalaFlags(const std::string& text,
                                                             const RalaConfiguration& sizes) {
  std::istringstream list(text);
  std::vector<std::vector<bool>> stages;
  for (std::string letters; std::getline(list, letters, ',');) {
    const bool isKnown = letters.find_first_not_of("lv") == std::string::npos;
    if (!isKnown || letters.empty() || stages.size() == sizes.stages.size()) return std::nullopt;
    const auto depth = static_cast<std::size_t>(sizes.stages[stages.size()].depth);
    if (letters.size() != 1 && letters.size() != depth) return std::nullopt;
    std::vector<bool> linear(depth, letters.front() == 'l');
    for (std::size_t i = 1; i < letters.size(); ++i) linear[i] = letters[i] == 'l';
    stages.push_back(std::move(linear));
  }
  return stages.size() == sizes.stages.size() ? std::optional(stages) : std::nullopt;
}

/// Both attentions have the same weights, so nothing but the published sizes tells which stage has
/// which.
void resolveRalaAttentions(RalaConfiguration& configuration, const ModelHints& hints,
                           ModelSummary& summary) {
  std::string usual;
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    usual += std::string(s == 0 ? "" : ",") + (s < publishedLinearStages ? "l" : "v");
  }
  const auto accepts = [&](const std::string& text) {
    return parseRalaFlags(text, configuration).has_value();
  };
  const std::string value = resolveStoredOption(
      {.key = ralaFlagsKey,
       .usual = usual,
       .isCertain = summary.isPublished(),
       .reason =
           "no published RAVLT has these sizes, and linear (l) and softmax attention (v) have "
           "the same weights",
       .network = "RAVLT",
       .computed = {"l or v for each stage, such as " + usual,
                    "a letter for each block of a stage"},
       .accepts = accepts},
      hints, summary);
  const auto flags = parseRalaFlags(value, configuration);
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    configuration.stages[s].linear = (*flags)[s];
  }
}

void listRalaLayers(const RalaConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const RalaStageConfiguration& stage = configuration.stages[s];
    const std::string blocks = "layers." + std::to_string(s) + ".blocks.";
    for (int i = 0; i < stage.depth; ++i) {
      summary.layers.push_back(
          {.name = blocks + std::to_string(i) + ".attn",
           .mechanism = stage.linear[static_cast<std::size_t>(i)] ? summary.mechanism : "softmax",
           .stage = static_cast<int>(s) + 1,
           .heads = stage.heads});
    }
    summary.heads.push_back(stage.heads);
  }
}

/// The authors leave no margin around pictures of more than 224 pixels.
double ralaCrop(const ModelHints& hints) {
  constexpr int largestCropped = 224;
  const auto size = parseInputSize(hints.size.value_or(""));
  const bool isLarger = size && std::min(size->height, size->width) > largestCropped;
  return isLarger ? 1 : InputTransform{}.cropFraction;
}

DefinedModel defineRala(const StateDict& state, const ModelHints& hints) {
  const MechanismNames names{
      .network = "RAVLT", .mechanisms = {"rala"}, .namedBy = nullptr, .usualIsCertain = true};
  const ResolvedMechanism decision = resolveMechanism(names, hints);
  RalaConfiguration configuration = readRalaConfiguration(state);
  requireNoMala(configuration, hints);
  requireToldHeads("RAVLT's rotations", configuration.stages.back().heads, hints);

  ModelSummary summary;
  summary.family = "rala";
  summary.variant = ralaVariant(configuration);
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(names, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of RAVLT, whose published networks have rank-augmented linear "
      "attention in the first two stages and the softmax in the others.";
  describeRalaMechanism(hints, summary);
  resolveRalaAttentions(configuration, hints, summary);
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  summary.transform.cropFraction = ralaCrop(hints);
  listRalaLayers(configuration, summary);
  return {std::move(summary), std::make_shared<RalaNetwork>(configuration)};
}

}  // namespace

Family ralaFamily() {
  return {.name = "rala",
          .networks = "RAVLT",
          .attention = "linear attention",
          .recognises = isRala,
          .define = defineRala};
}

}  // namespace softscope
