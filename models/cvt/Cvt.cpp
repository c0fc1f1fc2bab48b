#include "core/text/Words.h"
#include "models/cvt/CvtNetwork.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Families.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct PublishedCvt {
  const char* name;
  std::vector<int> channels;
  std::vector<int> depths;
};

const PublishedCvt publishedCvts[] = {
    {"cvt_13", {64, 192, 384}, {1, 2, 10}},
    {"cvt_21", {64, 192, 384}, {1, 4, 16}},
    {"cvt_w24", {192, 768, 1024}, {2, 2, 20}},
};

constexpr int publishedHeadWidth = 64;

bool isCvt(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return (startsWith(entry.name, "stage") &&
            entry.name.find(".attn.conv_proj_") != std::string::npos) ||
           ((startsWith(entry.name, "cvt.encoder.stages.") ||
             startsWith(entry.name, "encoder.stages.")) &&
            entry.name.find(".attention.convolution_projection_") != std::string::npos);
  });
}

CvtStageConfiguration readCvtStage(const ShapeReader& shapes, const CvtNames& names, int index) {
  const std::string name = names.stage + std::to_string(index);
  const std::string stage = name + ".";
  const std::string embedding = stage + names.embedding;
  const std::string norm = stage + names.embeddingNorm;
  const std::string block = stage + names.blocks + ".0.";
  const std::string expand = block + names.expand;
  CvtStageConfiguration sizes;
  sizes.channels = shapes.require(
      shapes.size({embedding + ".weight", embedding + ".bias", norm + ".weight", norm + ".bias"},
                  0),
      "the channels of " + name);
  sizes.depth = shapes.require(shapes.count(stage + names.blocks + "."), "the blocks of " + name);
  sizes.patchKernel = shapes.size({embedding + ".weight"}, 2).value_or(index == 0 ? 7 : 3);
  sizes.hidden =
      shapes.size({expand + ".weight", expand + ".bias"}, 0)
          .value_or(
              shapes.size({block + names.contract + ".weight"}, 1).value_or(4 * sizes.channels));
  const auto hasBias = [&](const std::string& projection) {
    return shapes.any(stage, "." + projection + ".bias");
  };
  sizes.queryBias = hasBias(names.query) || hasBias(names.key) || hasBias(names.value);
  return sizes;
}

std::vector<int> channelsOf(const CvtConfiguration& configuration) {
  std::vector<int> channels;
  for (const CvtStageConfiguration& stage : configuration.stages) {
    channels.push_back(stage.channels);
  }
  return channels;
}

const PublishedCvt* publishedCvt(const CvtConfiguration& configuration) {
  std::vector<int> depths;
  for (const CvtStageConfiguration& stage : configuration.stages) depths.push_back(stage.depth);
  const std::vector<int> channels = channelsOf(configuration);
  const auto found = std::ranges::find_if(publishedCvts, [&](const PublishedCvt& variant) {
    return variant.channels == channels && variant.depths == depths;
  });
  return found == std::end(publishedCvts) ? nullptr : found;
}

/// Returns the heads of the last stage, from which the width of all heads follows; no shape
/// determines them.
DefaultHeads defaultCvtHeads(const CvtConfiguration& configuration) {
  const int channels = configuration.stages.back().channels;
  if (const PublishedCvt* published = publishedCvt(configuration)) {
    return certainHeads(channels / publishedHeadWidth,
                        std::string("as in the published ") + published->name);
  }
  int shared = channels;
  for (const CvtStageConfiguration& stage : configuration.stages) {
    shared = std::gcd(shared, stage.channels);
  }
  DefaultHeads usual = assumedHeads(shared, "CvT");
  const int ratio = channels / shared;
  usual.heads *= ratio;
  for (int& heads : usual.possible) heads *= ratio;
  usual.reason = "no published CvT has these channels and depths, and no weight tells the heads";
  return usual;
}

/// Gives every stage the heads from the metadata or options, or else heads as wide as those of the
/// last stage, or a single head if its channels are not divisible by that width.
void spreadHeads(const ResolvedHeads& heads, CvtConfiguration& configuration) {
  const int width = configuration.stages.back().channels / heads.heads;
  for (std::size_t i = 0; i < configuration.stages.size(); ++i) {
    CvtStageConfiguration& stage = configuration.stages[i];
    stage.heads = stage.channels % width == 0 ? stage.channels / width : 1;
    if (!heads.ofStages.empty()) stage.heads = heads.ofStages[i];
  }
}

CvtConfiguration readCvtConfiguration(const StateDict& state) {
  const ShapeReader shapes(state, "CvT");
  CvtConfiguration configuration;
  const CvtNames& names = configuration.names = cvtNamesOf(state);
  const int stages = shapes.require(shapes.count(names.stage), "its stages");
  for (int index = 0; index < stages; ++index) {
    configuration.stages.push_back(readCvtStage(shapes, names, index));
  }
  const std::string attention = names.layer(0, 0) + ".";
  const std::string convolution = "." + names.convolution + ".weight";
  configuration.attentionKernel = shapes
                                      .size({attention + names.queryConvolution + convolution,
                                             attention + names.keyConvolution + convolution},
                                            2)
                                      .value_or(configuration.attentionKernel);
  configuration.classes =
      shapes.size({names.head + ".weight", names.head + ".bias"}, 0).value_or(0);
  return configuration;
}

std::string cvtVariant(const CvtConfiguration& configuration) {
  const PublishedCvt* published = publishedCvt(configuration);
  const bool hasItsHeads =
      std::ranges::all_of(configuration.stages, [](const CvtStageConfiguration& stage) {
        return stage.heads * publishedHeadWidth == stage.channels;
      });
  return published != nullptr && hasItsHeads ? published->name : "custom";
}

/// Returns the transform of CvT's configurations: a centre crop of 7/8 at 224 pixels, but at 384
/// the whole picture, squeezed to a square. CvT-W24 exists only for 384; for the others, the file's
/// name tells.
InputTransform cvtTransform(const std::string& variant, const std::string& fileName) {
  InputTransform transform;
  if (variant == "cvt_w24" || fileName.find("384") != std::string::npos) {
    transform.extent = InputTransform::Extent::Whole;
    transform.height = 384;
    transform.width = 384;
  }
  return transform;
}

void listCvtLayers(const CvtConfiguration& configuration, ModelSummary& summary) {
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const CvtStageConfiguration& stage = configuration.stages[s];
    for (int i = 0; i < stage.depth; ++i) {
      summary.layers.push_back({.name = configuration.names.layer(static_cast<int>(s), i),
                                .mechanism = summary.mechanism,
                                .stage = static_cast<int>(s) + 1,
                                .heads = stage.heads});
    }
    summary.heads.push_back(stage.heads);
  }
}

/// Returns the numbers of a list such as `2,1,1`, one for each stage, if all are from `least` to 8.
std::vector<int> numbersOfStages(const std::string& text, std::size_t stages, int least) {
  constexpr int most = 8;
  std::istringstream list(text);
  std::vector<int> numbers;
  for (std::string one; std::getline(list, one, ',');) {
    const auto number = parseNumber<int>(one);
    if (!number || *number < least || *number > most) return {};
    numbers.push_back(*number);
  }
  return numbers.size() >= stages ? numbers : std::vector<int>{};
}

/// A number of the convolutions of every stage, and the keys by which configurations tell it.
struct CvtNumbers {
  const char* key;
  const char* configuredKey;
  int first;   ///< of the first stage, in published networks
  int others;  ///< of the other stages
  int least = 0;
  /// True if no other numbers leave a network that runs.
  bool isFixed = false;
};

std::vector<int> resolveCvtNumbers(const CvtNumbers& known, const CvtConfiguration& configuration,
                                   const ModelHints& hints, ModelSummary& summary) {
  const std::size_t stages = configuration.stages.size();
  std::vector<int> usual(stages, known.others);
  usual.front() = known.first;
  const auto accepts = [&](const std::string& text) {
    std::vector<int> numbers = numbersOfStages(text, stages, known.least);
    if (numbers.empty() || !known.isFixed) return !numbers.empty();
    numbers.resize(stages);
    return numbers == usual;
  };
  const std::string any = "a number from " + std::to_string(known.least) + " to 8 for each stage";
  const std::string value = resolveStoredOption(
      {.key = known.key,
       .usual = listedNumbers(usual),
       .isCertain = known.isFixed || publishedCvt(configuration) != nullptr,
       .reason = "no published CvT has these channels and depths, and no weight tells it",
       .network = "CvT",
       .computed = {known.isFixed ? listedNumbers(usual) : any},
       .accepts = accepts,
       .configuredKey = known.configuredKey},
      hints, summary, configurationFor(configuration.stages.back().channels, hints));
  return numbersOfStages(value, stages, known.least);
}

/// Resolves strides and paddings of convolutions, which leave nothing in the weights.
void resolveCvtConvolutions(CvtConfiguration& configuration, const ModelHints& hints,
                            ModelSummary& summary) {
  const auto resolve = [&](const CvtNumbers& known) {
    return resolveCvtNumbers(known, configuration, hints, summary);
  };
  const int padding = configuration.attentionKernel / 2;
  const std::vector<int> patchStrides =
      resolve({"MODEL.SPEC.PATCH_STRIDE", "patch_stride", 4, 2, 1});
  const std::vector<int> patchPaddings =
      resolve({"MODEL.SPEC.PATCH_PADDING", "patch_padding", 2, 1});
  const std::vector<int> strides = resolve({"MODEL.SPEC.STRIDE_KV", "stride_kv", 2, 2, 1});
  const std::vector<int> paddings =
      resolve({"MODEL.SPEC.PADDING_KV", "padding_kv", padding, padding});
  // Tokens are added to what attention returns, so that there are as many queries as tokens.
  resolve({"MODEL.SPEC.STRIDE_Q", "stride_q", 1, 1, 1, true});
  resolve({"MODEL.SPEC.PADDING_Q", "padding_q", padding, padding, 0, true});
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    CvtStageConfiguration& stage = configuration.stages[s];
    stage.patchStride = patchStrides[s];
    stage.patchPadding = patchPaddings[s];
    stage.keyStride = strides[s];
    stage.keyPadding = paddings[s];
  }
}

/// Activation and epsilon are arguments of the authors' class, which their training's code sets,
/// and no part of the configuration; Hugging Face's library fixes both.
void resolveCvtLayers(const CvtConfiguration& configuration, const ModelHints& hints,
                      ModelSummary& summary) {
  if (configuration.names.isHuggingFace()) return;
  const bool isTrainedByAuthorsCode = storedValue("MODEL.SPEC.PATCH_STRIDE", hints).has_value();
  const bool isCertain = publishedCvt(configuration) != nullptr || isTrainedByAuthorsCode;
  resolveFixedOption({"act_layer", "quick_gelu", "CvT"}, isCertain, nullptr, hints, summary);
  resolveFixedOption({"norm_eps", "1e-05", "CvT"}, isCertain, nullptr, hints, summary);
}

DefinedModel defineCvt(const StateDict& state, const ModelHints& hints) {
  const MechanismChoice choice{.network = "CvT",
                               .usual = "softmax",
                               .other = "sima",
                               .further = {"sima_l2", "sima_unnormalised"},
                               .mark = "sima",
                               .published = {"cvt", "w#"}};
  const ResolvedMechanism decision = resolveMechanism(choice, hints);
  CvtConfiguration configuration = readCvtConfiguration(state);
  const ResolvedHeads heads =
      resolveStageHeads(channelsOf(configuration), defaultCvtHeads(configuration), hints);
  spreadHeads(heads, configuration);
  configuration.sima = simaNormOf(decision.mechanism);

  ModelSummary summary;
  summary.family = "cvt";
  summary.variant = cvtVariant(configuration);
  summary.mechanism = decision.mechanism;
  summary.alternatives = alternatives(choice, decision.mechanism);
  summary.mechanismConfidence = decision.confidence;
  summary.reason =
      "Names and shapes are those of CvT, which SimA in its place shares; " + decision.reason + ".";
  summary.counterfactual = decision.counterfactual;
  describeHeads(heads, summary);
  resolveCvtConvolutions(configuration, hints, summary);
  resolveCvtLayers(configuration, hints, summary);
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  summary.transform = cvtTransform(summary.variant, hints.fileName);
  listCvtLayers(configuration, summary);
  DefinedModel model{std::move(summary), std::make_shared<CvtNetwork>(configuration)};
  if (const PublishedCvt* published = publishedCvt(configuration)) {
    model.publishedAs = published->name;
  }
  return model;
}

}  // namespace

Family cvtFamily() {
  return {.name = "cvt",
          .networks = "CvT",
          .attention = "softmax, SimA",
          .recognises = isCvt,
          .define = defineCvt,
          .modelTypes = {"cvt"}};
}

}  // namespace softscope
