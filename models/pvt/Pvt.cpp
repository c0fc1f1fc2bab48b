#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/pvt/PvtNetwork.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct PublishedPvtV2 {
  const char* size;
  std::array<int, 4> channels;
  std::array<int, 4> depths;
};

constexpr PublishedPvtV2 publishedPvtV2s[] = {
    {"b0", {32, 64, 160, 256}, {2, 2, 2, 2}},   {"b1", {64, 128, 320, 512}, {2, 2, 2, 2}},
    {"b2", {64, 128, 320, 512}, {3, 4, 6, 3}},  {"b3", {64, 128, 320, 512}, {3, 4, 18, 3}},
    {"b4", {64, 128, 320, 512}, {3, 8, 27, 3}}, {"b5", {64, 128, 320, 512}, {3, 6, 40, 3}}};

constexpr std::array<int, 4> publishedPvtV2Heads{1, 2, 5, 8};

PvtStage readPvtV2Stage(const ShapeReader& shapes, const PvtNames& names, int index) {
  const std::string name = "stage " + std::to_string(index + 1);
  const std::string embedding = names.embedding(index);
  const std::string norm = names.embeddingNorm(index);
  const std::string block = names.blocks(index) + "0.";
  PvtStage stage;
  stage.channels =
      shapes.require(shapes.size({embedding + ".weight", embedding + ".bias", norm + ".weight"}, 0),
                     "the channels of " + name);
  stage.kernel = std::max(1, shapes.size({embedding + ".weight"}, 2).value_or(index == 0 ? 7 : 3));
  stage.depth = shapes.require(shapes.count(names.blocks(index)), "the blocks of " + name);
  stage.hidden = shapes.size({block + names.expand + ".weight", block + names.expand + ".bias"}, 0)
                     .value_or(4 * stage.channels);
  stage.reduction = shapes.size({block + names.reduction + ".weight"}, 2).value_or(0);
  return stage;
}

int countPvtStages(const ShapeReader& shapes, const PvtNames& names) {
  constexpr int most = 8;
  int count = 0;
  while (count < most && shapes.any(names.blocks(count))) ++count;
  return count;
}

PvtConfiguration readPvtV2(const StateDict& state) {
  const ShapeReader shapes(state, "PVTv2");
  PvtConfiguration configuration;
  const PvtNames& names = configuration.names = pvtNamesOf(state);
  const int stages = shapes.require(countPvtStages(shapes, names), "its stages");
  for (int index = 0; index < stages; ++index) {
    configuration.stages.push_back(readPvtV2Stage(shapes, names, index));
  }
  configuration.isLinear = configuration.stages.front().reduction == 1;
  configuration.queryBias = shapes.any(names.stages, "." + names.query + ".bias");
  configuration.classes =
      shapes.size({names.head + ".weight", names.head + ".bias"}, 0).value_or(0);
  return configuration;
}

std::vector<int> pvtChannels(const PvtConfiguration& configuration) {
  std::vector<int> channels;
  for (const PvtStage& stage : configuration.stages) channels.push_back(stage.channels);
  return channels;
}

const PublishedPvtV2* publishedPvtV2(const PvtConfiguration& configuration) {
  std::vector<int> depths;
  for (const PvtStage& stage : configuration.stages) depths.push_back(stage.depth);
  const std::vector<int> channels = pvtChannels(configuration);
  const auto* found = std::ranges::find_if(publishedPvtV2s, [&](const PublishedPvtV2& variant) {
    return std::ranges::equal(variant.channels, channels) &&
           std::ranges::equal(variant.depths, depths);
  });
  return found == std::end(publishedPvtV2s) ? nullptr : found;
}

/// Returns the heads of the last stage. Without a published size, heads are as wide as the widest
/// that fits every stage, up to 64 channels.
DefaultHeads defaultPvtHeads(const PvtConfiguration& configuration) {
  const int channels = configuration.stages.back().channels;
  if (const PublishedPvtV2* published = publishedPvtV2(configuration)) {
    return certainHeads(publishedPvtV2Heads.back(),
                        std::string("as in the published pvt_v2_") + published->size);
  }
  int shared = channels;
  for (const PvtStage& stage : configuration.stages) shared = std::gcd(shared, stage.channels);
  DefaultHeads usual = assumedHeads(shared, "PVTv2");
  const int ratio = channels / shared;
  usual.heads *= ratio;
  for (int& heads : usual.possible) heads *= ratio;
  usual.reason = "no published PVTv2 has these channels and depths, and no weight tells the heads";
  return usual;
}

/// Gives every stage its heads: those that were given, the published ones, or heads as wide as
/// those of the last stage.
void spreadPvtHeads(const ResolvedHeads& heads, PvtConfiguration& configuration) {
  const bool isPublished =
      publishedPvtV2(configuration) != nullptr && heads.heads == publishedPvtV2Heads.back();
  const int width = configuration.stages.back().channels / heads.heads;
  for (std::size_t i = 0; i < configuration.stages.size(); ++i) {
    PvtStage& stage = configuration.stages[i];
    if (!heads.ofStages.empty()) {
      stage.heads = heads.ofStages[i];
    } else if (isPublished) {
      stage.heads = publishedPvtV2Heads[i];
    } else {
      stage.heads = stage.channels % width == 0 ? stage.channels / width : 1;
    }
  }
}

const ConfigurationFile* pvtConfiguration(const PvtConfiguration& configuration,
                                          const ModelHints& hints) {
  return hints.configuration.fits(configuration.stages.back().channels) ? &hints.configuration
                                                                        : nullptr;
}

SettingKnowledge knownOfPvts(const PvtConfiguration& configuration, const ModelHints& hints) {
  return knownOfPublished("PVTv2", publishedPvtV2(configuration) != nullptr,
                          pvtConfiguration(configuration, hints));
}

NetworkSetting resolvePvtActivation(PvtConfiguration& configuration, const ModelHints& hints) {
  NetworkSetting setting = resolveMlpActivation(knownOfPvts(configuration, hints),
                                                pvtConfiguration(configuration, hints), hints);
  configuration.activation = activationOfOption(setting.value);
  return setting;
}

/// Hugging Face's library gives all norms one epsilon; the others' are fixed.
NetworkSetting resolvePvtEpsilon(PvtConfiguration& configuration, const ModelHints& hints) {
  const ConfigurationFile* said = pvtConfiguration(configuration, hints);
  const bool isHuggingFace = configuration.names.library == PvtNames::Library::HuggingFace;
  const auto told = isHuggingFace && said != nullptr ? said->epsilon : std::nullopt;
  NetworkSetting setting =
      resolveEpsilon(knownOfPvts(configuration, hints), told, hints, configuration.epsilon);
  if (isHuggingFace) configuration.innerEpsilon = configuration.epsilon;
  return setting;
}

void listPvtLayers(const PvtConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const PvtStage& stage = configuration.stages[s];
    for (int i = 0; i < stage.depth; ++i) {
      summary.layers.push_back({.name = configuration.names.blocks(static_cast<int>(s)) +
                                        std::to_string(i) + "." + configuration.names.attention,
                                .mechanism = "softmax",
                                .stage = static_cast<int>(s) + 1,
                                .heads = stage.heads});
    }
    summary.heads.push_back(stage.heads);
  }
}

/// Takes the strides of the embeddings from config.json, which Hugging Face's networks may set; 4
/// and then 2 otherwise. Throws ModelError if they are not one number for each stage.
void resolvePvtStrides(PvtConfiguration& configuration, const ModelHints& hints) {
  configuration.stages.front().stride = 4;
  const ConfigurationFile* said = pvtConfiguration(configuration, hints);
  if (said == nullptr || !said->values.contains("strides")) return;
  const std::string& text = said->values.at("strides");
  std::istringstream list(text);
  std::vector<int> strides;
  for (std::string number; std::getline(list, number, ',');) {
    const int stride = std::atoi(number.c_str());
    if (stride < 1 || stride > 64) break;
    strides.push_back(stride);
  }
  if (strides.size() != configuration.stages.size()) {
    throw ModelError(said->place() + " says strides " + text + ", and it has " +
                     std::to_string(configuration.stages.size()) + " stages, each with a stride");
  }
  for (std::size_t s = 0; s < strides.size(); ++s) configuration.stages[s].stride = strides[s];
}

DefinedModel definePvt(const StateDict& state, const ModelHints& hints) {
  requireOnly("PVTv2", "softmax", hints);
  PvtConfiguration configuration = readPvtV2(state);
  resolvePvtStrides(configuration, hints);
  const ResolvedHeads heads =
      resolveStageHeads(pvtChannels(configuration), defaultPvtHeads(configuration), hints);
  spreadPvtHeads(heads, configuration);
  const std::vector<NetworkSetting> settings{resolvePvtActivation(configuration, hints),
                                             resolvePvtEpsilon(configuration, hints)};
  const PublishedPvtV2* published = publishedPvtV2(configuration);
  ModelSummary summary;
  summary.family = "pvt_v2";
  summary.variant = published == nullptr ? "custom"
                                         : std::string("pvt_v2_") + published->size +
                                               (configuration.isLinear ? "_li" : "");
  summary.setOnlyMechanism("softmax");
  summary.reason = "Names and shapes are those of PVTv2.";
  describeHeads(heads, summary);
  describeSettings(settings, summary);
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  const bool isAuthors = configuration.names.library == PvtNames::Library::Authors;
  if (isAuthors) resolveHeadScale("PVTv2", published != nullptr, hints, summary);
  summary.transform.cropFraction = isAuthors ? 0.875 : 0.9;
  listPvtLayers(configuration, summary);
  DefinedModel model{std::move(summary), std::make_shared<PvtNetwork>(configuration)};
  model.pixelNorms = {"imagenet"};
  return model;
}

}  // namespace

Family pvtFamily() {
  return {.name = "pvt_v2",
          .networks = "PVTv2",
          .attention = "softmax",
          .recognises = hasPvtNames,
          .define = definePvt,
          .modelTypes = {"pvt_v2"}};
}

}  // namespace softscope
