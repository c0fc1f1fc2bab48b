#include "models/structure/NonLocalCnn.h"

#include "core/Error.h"
#include "core/text/Words.h"
#include "models/structure/NonLocalCnnNetwork.h"
#include "models/structure/NonLocalUnits.h"
#include "models/structure/StructureAnswers.h"
#include "models/structure/StructureSettings.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

struct NamedKind {
  const char* option;
  NonLocalKind kind;
  const char* mechanism;
};

constexpr NamedKind nonLocalKinds[] = {
    {"embedded_gaussian", NonLocalKind::EmbeddedGaussian, "nonlocal"},
    {"gaussian", NonLocalKind::Gaussian, "nonlocal_gaussian"},
    {"dot_product", NonLocalKind::DotProduct, "nonlocal_dot"},
    {"concatenation", NonLocalKind::Concatenation, "nonlocal_concatenation"},
};

/// Returns the first block. Throws ModelError if there is none, or if others are not of its kind.
const CnnNonLocal& firstNonLocal(const NonLocalCnnStructure& read) {
  const CnnNonLocal* first = nullptr;
  for (const CnnStep& step : read.steps) {
    const auto* block = std::get_if<CnnNonLocal>(&step);
    if (block == nullptr) continue;
    if (first == nullptr) first = block;
    if (block->theta.empty() != first->theta.empty() ||
        block->concatenation.empty() != first->concatenation.empty() ||
        block->saysPooling != first->saysPooling) {
      throw ModelError("its non-local blocks are of several kinds: " + first->path + " and " +
                       block->path + " have other parts");
    }
  }
  if (first == nullptr) throw ModelError("has no non-local blocks");
  return *first;
}

/// Determines one of the two settings of the blocks, and describes it.
NetworkSetting resolveNonLocal(const std::string& option, const std::string& usual,
                               std::vector<std::string> choices, const std::string& told,
                               const std::string& why, const ModelHints& hints) {
  NetworkSetting setting{.option = option, .value = usual, .source = "assumed"};
  const auto asked = hints.settings.find(option);
  const auto said = saidValue(option, choices, hints);
  if (!told.empty()) {
    setting.source = told;
  } else if (said) {
    setting.value = said->text;
    setting.source = said->source;
  } else if (asked == hints.settings.end()) {
    setting.why = why;
  }
  if (asked != hints.settings.end()) {
    if (std::ranges::find(choices, asked->second) == choices.end()) {
      throw ModelError("--" + option + " is " + listedWithOr(choices) +
                       " for this network, not \"" + asked->second + "\"");
    }
    setting.isCounterfactual = setting.source != "assumed" && setting.value != asked->second;
    setting.value = asked->second;
    setting.source = "chosen with --" + option;
  }
  std::erase(choices, setting.value);
  choices.insert(choices.begin(), setting.value);
  setting.choices = std::move(choices);
  return setting;
}

NetworkSetting resolveKind(NonLocalCnnStructure& read, const ModelHints& hints) {
  const CnnNonLocal& block = firstNonLocal(read);
  std::string usual = "embedded_gaussian";
  std::vector<std::string> choices{"embedded_gaussian", "dot_product"};
  std::string told;
  if (!block.concatenation.empty()) {
    usual = "concatenation";
    told = "by " + block.concatenation;
  } else if (block.theta.empty()) {
    usual = "gaussian";
    told = "since it has no theta and phi";
  }
  if (!told.empty()) choices = {usual};
  NetworkSetting setting =
      resolveNonLocal("non-local", usual, choices, told, "both kinds have the same weights", hints);
  for (const NamedKind& known : nonLocalKinds) {
    if (setting.value == known.option) read.kind = known.kind;
  }
  return setting;
}

NetworkSetting resolvePoolingOfKeys(NonLocalCnnStructure& read, const ModelHints& hints) {
  const std::string usual = firstNonLocal(read).saysPooling ? "2" : "1";
  NetworkSetting setting =
      resolveNonLocal("sub-sample", usual, {"1", "2"}, "",
                      "a pooling has no weights; names such as g.0 only hint at it", hints);
  read.poolsKeys = setting.value == "2";
  return setting;
}

/// Determines whether products of theta and phi are divided by the root of their width, which code
/// does of embedded Gaussians alone.
std::vector<NetworkSetting> resolveScaleOfProducts(NonLocalCnnStructure& read,
                                                   const ModelHints& hints) {
  if (read.kind != NonLocalKind::EmbeddedGaussian) return {};
  const std::string usual = firstNonLocal(read).saysScale ? "head" : "none";
  const NetworkSetting setting =
      resolveNonLocal("scale", usual, {"none", "head"}, "",
                      "a scale has no weights; code whose output is called conv_out divides by the "
                      "root of the inner width unless it is told otherwise (use_scale)",
                      hints);
  read.scalesProducts = setting.value == "head";
  return {setting};
}

/// Describes the only head of blocks under the names of queries, keys and values, which other code
/// splits. Throws ModelError if several are asked for.
std::vector<NetworkSetting> resolveHeadsOfBlocks(const NonLocalCnnStructure& read,
                                                 const ModelHints& hints) {
  if (hints.heads && hints.heads->last() != 1) {
    throw ModelError("its non-local blocks are computed with one head; leave out --heads");
  }
  if (hints.heads || firstNonLocal(read).hasUsualNames) return {};
  return {{.option = "heads",
           .value = "1",
           .source = "assumed",
           .choices = {"1"},
           .why = "the weights are the same for any number, and non-local blocks have one"}};
}

bool poolsAllPlaces(const NonLocalCnnStructure& read) {
  return std::ranges::any_of(read.steps, [](const CnnStep& step) {
    return std::holds_alternative<CnnGlobalPooling>(step);
  });
}

/// Determines how a head pools all places of a map, and what size its pictures have, which may be
/// any; a program tells the pooling.
std::vector<NetworkSetting> resolvePoolingOfPlaces(NonLocalCnnStructure& read, bool isTold,
                                                   const SaidGrid& said, const ModelHints& hints) {
  if (!poolsAllPlaces(read)) return {};
  std::vector<NetworkSetting> settings;
  if (!isTold) {
    settings.push_back(resolveNonLocal("pooling", "mean", {"mean", "max"}, "",
                                       "the head takes one number of each channel", hints));
    read.takesLargest = settings.back().value == "max";
  }
  if (!said.size && !said.chosenSize) {
    const std::string size = std::to_string(read.height) + "x" + std::to_string(read.width);
    settings.push_back({.option = "size",
                        .value = size,
                        .source = "assumed",
                        .choices = {size},
                        .why = "a head that pools all places takes pictures of any size"});
  }
  return settings;
}

NetworkSetting networkSetting(const NonLocalCnnStructure& read, bool isTold) {
  return {.option = "network",
          .value = std::string("convolution, batch norm, ReLU, pooling of 2 x 2") +
                   (poolsAllPlaces(read) && !isTold ? ", pooling of all places" : ""),
          .source = isTold ? "from config.json" : "assumed",
          .choices = {},
          .why = isTold ? ""
                        : "order, strides and poolings of a convolutional network are not in "
                          "its weights; a list called network in config.json tells them"};
}

std::string mechanismOf(NonLocalKind kind) {
  for (const NamedKind& known : nonLocalKinds) {
    if (known.kind == kind) return known.mechanism;
  }
  return "nonlocal";
}

InputTransform cnnTransform(const NonLocalCnnStructure& read) {
  InputTransform transform;
  transform.extent = InputTransform::Extent::Whole;
  transform.filter = InputTransform::Filter::Bilinear;
  transform.height = static_cast<int>(read.height);
  transform.width = static_cast<int>(read.width);
  transform.channels = static_cast<int>(read.pictureChannels);
  return transform;
}

/// Finds a size that the network takes: the one that is said, or a usual one.
void fitInputSize(const Network& network, const std::optional<SaidSize>& said,
                  InputTransform& transform) {
  std::vector<SaidSize> sizes{{28, 28}, {32, 32}, {64, 64}, {96, 96}, {128, 128}, {224, 224}};
  if (said) sizes.insert(sizes.begin(), *said);
  for (const SaidSize& size : sizes) {
    try {
      network.checkInputSize(static_cast<int>(size.height), static_cast<int>(size.width));
      transform.height = static_cast<int>(size.height);
      transform.width = static_cast<int>(size.width);
      return;
    } catch (const InspectionError&) {
      continue;
    }
  }
}

}  // namespace

bool hasNonLocalBlocks(const StateDict& state) {
  return !findNonLocalBlocks(tensorUnits(state)).empty();
}

DefinedModel defineNonLocalCnn(const StateDict& state, const ModelHints& hints) {
  const std::vector<TensorUnit> units = tensorUnits(state);
  const std::vector<FoundNonLocal> blocks = findNonLocalBlocks(units);
  const bool isTold = !hints.configuration.network.empty();
  const SaidGrid said = saidGrid(hints);
  const std::optional<SaidSize> size = said.size ? said.size : said.chosenSize;
  NonLocalCnnStructure read = isTold ? cnnOfProgram(hints.configuration.network, units, blocks)
                                     : usualCnn(units, blocks, keepsLayerOrder(state), size);
  ModelSummary summary;
  summary.family = "structure";
  summary.variant = "custom";
  summary.settings = {resolveKind(read, hints), resolvePoolingOfKeys(read, hints),
                      networkSetting(read, isTold)};
  for (const std::vector<NetworkSetting>& more :
       {resolveScaleOfProducts(read, hints), resolveHeadsOfBlocks(read, hints),
        resolvePoolingOfPlaces(read, isTold, said, hints)}) {
    summary.settings.insert(summary.settings.end(), more.begin(), more.end());
  }
  summary.setOnlyMechanism(mechanismOf(read.kind));
  if (hints.attention && *hints.attention != summary.mechanism) {
    throw ModelError("--non-local, and not --attention, chooses the kind of non-local blocks");
  }
  summary.heads = {1};
  summary.classes = static_cast<int>(read.classes);
  summary.transform = cnnTransform(read);
  for (const CnnStep& step : read.steps) {
    const auto* block = std::get_if<CnnNonLocal>(&step);
    if (block == nullptr) continue;
    summary.channels = static_cast<int>(block->channels);
    summary.layers.push_back(
        {.name = block->path, .mechanism = summary.mechanism, .stage = 1, .heads = 1});
  }
  summary.reason = "Read by structure: a convolutional network with " +
                   countedText(std::ssize(summary.layers), "non-local block") + ".";
  for (const NetworkSetting& setting : summary.settings) {
    summary.counterfactual = summary.counterfactual || setting.isCounterfactual;
  }
  auto network = std::make_shared<NonLocalCnnNetwork>(read);
  if (isTold) fitInputSize(*network, size, summary.transform);
  DefinedModel model{std::move(summary), std::move(network)};
  model.pixelNorms = {"half", "imagenet"};
  return model;
}

}  // namespace softscope
