#include "models/pyramid/PyramidConfiguration.h"

#include "core/Error.h"
#include "models/attention/MechanismImplementation.h"
#include "models/attention/PerformerAttention.h"
#include "models/identify/Metadata.h"
#include "models/identify/ResolvedHeads.h"
#include "models/layers/HeadTerms.h"
#include "models/soft/SoftConfiguration.h"

#include <cstddef>

namespace softscope {

PyramidAttentionImpl::PyramidAttentionImpl(const PyramidAttentionOptions& options)
    : StageAttention(options.name), heads_(options.heads) {
  queryProjection_ = register_module("W_q", Linear(options.channels, options.channels));
  keyProjection_ = register_module("W_k", Linear(options.channels, options.channels));
  valueProjection_ = register_module("W_v", Linear(options.channels, options.channels));
  kernel_ = register_module("attn", options.implementation->makeKernel(options));
  output_ = register_module("ff", Linear(options.channels, options.channels));
}

torch::Tensor PyramidAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                            Recorder* recorder) {
  const torch::Tensor query = splitHeads(queryProjection_->forward(tokens), heads_);
  const torch::Tensor key = splitHeads(keyProjection_->forward(tokens), heads_);
  const torch::Tensor value = splitHeads(valueProjection_->forward(tokens), heads_);
  const torch::Tensor attended = kernel_->forward(query, key, value, grid, recorder);
  return output_->forward(joinTerms({attended, {}}, layer(), output_->weight, recorder));
}

namespace {

constexpr std::array<int, 3> noRatios{1, 1, 1};
constexpr int defaultHeadWidth = 32;

/// Reads the sizes of a mechanism's own parameters, from any block of a stage that still has them.
class KernelReader {
 public:
  KernelReader(const ShapeReader& shapes, std::size_t stage, int depth)
      : shapes_(shapes), stage_("block" + std::to_string(stage + 1) + "."), depth_(depth) {}

  std::optional<int> size(const std::string& parameter, int dimension) const {
    for (int block = 0; block < depth_; ++block) {
      const std::string name = stage_ + std::to_string(block) + ".att.mha.attn." + parameter;
      const auto size = shapes_.size({name}, dimension);
      if (size && *size > 0) return size;
    }
    return std::nullopt;
  }

 private:
  const ShapeReader& shapes_;
  std::string stage_;
  int depth_;
};

std::optional<int> headsInWeights(const KernelReader& kernel, int channels) {
  if (const auto heads = kernel.size("E.weight", 0)) return heads;
  const auto width = kernel.size("projection", 1);
  if (width && *width > 0 && channels % *width == 0) return channels / *width;
  return std::nullopt;
}

/// Returns the number of a stage in a list, if it has one.
std::optional<int> numberOf(std::size_t stage, const std::vector<int>& numbers) {
  return numbers.size() > stage ? std::optional<int>(numbers[stage]) : std::nullopt;
}

/// Heads given by some source: of each stage, or only of the last.
struct PyramidHeads {
  std::vector<int> ofAll;
  std::optional<int> ofLast;
  std::string source;  ///< text after the heads

  std::optional<int> ofStage(std::size_t stage) const {
    return stage == 3 && ofLast ? ofLast : numberOf(stage, ofAll);
  }
};

PyramidHeads toldHeadsOfStages(const SoftConfiguration& sizes, const ModelHints& hints) {
  PyramidHeads heads;
  heads.ofAll = numbersInMetadata(hints.metadata, "heads");
  heads.source = "from the file's metadata";
  if (heads.ofAll.empty()) {
    heads.ofAll = hints.configuration.headsOf(sizes.channels[3]);
    heads.source = "from config.json";
  }
  if (heads.ofAll.size() == 1) {
    heads.ofLast = heads.ofAll.front();
    heads.ofAll.clear();
  }
  if (!hints.heads) return heads;
  heads.source = "chosen with --heads";
  if (hints.heads->isOneNumber()) {
    heads.ofLast = hints.heads->last();
    return heads;
  }
  heads.ofAll = hints.heads->counts();
  if (heads.ofAll.size() != sizes.heads.size()) {
    throw ModelError("--heads " + hints.heads->text() + " has " +
                     std::to_string(heads.ofAll.size()) +
                     " numbers; a pyramid takes one, of its last stage, or 4");
  }
  for (std::size_t s = 0; s < heads.ofAll.size(); ++s) {
    requireDivisibleHeads(sizes.channels[s], heads.ofAll[s]);
  }
  return heads;
}

/// Throws ModelError if `--heads` gives another number for a stage than its weights.
void requireSameHeads(std::size_t stage, int inWeights, const ModelHints& hints) {
  if (!hints.heads || hints.heads->isOneNumber()) return;
  if (hints.heads->counts()[stage] == inWeights) return;
  throw ModelError("the weights of stage " + std::to_string(stage + 1) + " say " +
                   std::to_string(inWeights) + " heads, which --heads " + hints.heads->text() +
                   " contradicts");
}

int defaultPyramidHeads(int channels) {
  return channels % defaultHeadWidth == 0 ? channels / defaultHeadWidth : 1;
}

std::string nameOf(const PyramidConfiguration& configuration) {
  return std::string(configuration.implementation->mechanism->name);
}

}  // namespace

const std::vector<const MechanismImplementation*>& pyramidMechanisms() {
  static const std::vector<const MechanismImplementation*> taken = [] {
    std::vector<const MechanismImplementation*> some;
    for (const MechanismImplementation& implementation : mechanismImplementations()) {
      if (implementation.makeKernel != nullptr) some.push_back(&implementation);
    }
    return some;
  }();
  return taken;
}

const MechanismImplementation* findPyramidMechanism(const std::string& name) {
  for (const MechanismImplementation* implementation : pyramidMechanisms()) {
    if (implementation->mechanism->name == name) return implementation;
  }
  return nullptr;
}

std::vector<PyramidStage> stagesOf(const PyramidConfiguration& configuration) {
  const SoftConfiguration& sizes = configuration.sizes;
  std::vector<PyramidStage> stages;
  for (std::size_t s = 0; s < sizes.ratios.size(); ++s) {
    stages.push_back({sizes.positions[s], sizes.channels[s] / sizes.heads[s]});
  }
  return stages;
}

std::vector<std::string> pyramidMechanismsWithoutParameters() {
  std::vector<std::string> names;
  // Mechanisms with landmarks come last, because weights must have their ratios as well.
  for (const bool landmarks : {false, true}) {
    for (const MechanismImplementation* implementation : pyramidMechanisms()) {
      const Mechanism& mechanism = *implementation->mechanism;
      const bool plain = implementation->ownParameter.empty();
      if (plain && mechanism.hasLandmarks == landmarks) names.emplace_back(mechanism.name);
    }
  }
  return names;
}

const MechanismImplementation* mechanismInWeights(const ShapeReader& shapes) {
  for (const MechanismImplementation* implementation : pyramidMechanisms()) {
    if (implementation->ownParameter.empty()) continue;
    if (shapes.any("block", ".att.mha.attn." + implementation->ownParameter)) {
      return implementation;
    }
  }
  return nullptr;
}

PyramidConfiguration readPyramidConfiguration(const ShapeReader& shapes,
                                              const MechanismImplementation& implementation,
                                              const ModelHints& hints) {
  PyramidConfiguration configuration{.sizes = readSoftPyramid(shapes),
                                     .implementation = &implementation};
  SoftConfiguration& sizes = configuration.sizes;
  sizes.landmarks = hints.landmarks;
  const PyramidHeads heads = toldHeadsOfStages(sizes, hints);
  configuration.headsSource = heads.source;
  const std::vector<int> ratios = numbersInMetadata(hints.metadata, "ratios");
  if (!implementation.mechanism->hasLandmarks) sizes.ratios = noRatios;
  for (std::size_t s = 0; s < sizes.ratios.size(); ++s) {
    const KernelReader kernel(shapes, s, sizes.depths[s]);
    const auto inWeights = headsInWeights(kernel, sizes.channels[s]);
    const auto told = inWeights ? inWeights : heads.ofStage(s);
    if (inWeights && heads.ofStage(s)) requireSameHeads(s, *inWeights, hints);
    configuration.headsAssumed |= !told;
    sizes.heads[s] = told.value_or(defaultPyramidHeads(sizes.channels[s]));
    requireWholeHeads("SOFT's pyramid", sizes.channels[s], sizes.heads[s], s + 1);
    if (implementation.mechanism->hasLandmarks) {
      auto ratio = kernel.size("E.weight", 2);
      if (!ratio) ratio = numberOf(s, ratios);
      configuration.ratiosAssumed |= !ratio;
      sizes.ratios[s] = ratio.value_or(sizes.ratios[s]);
    }
    configuration.features[s] =
        kernel.size("projection", 0)
            .value_or(performerFeatures(sizes.channels[s] / sizes.heads[s]));
  }
  const auto last = heads.ofStage(3);
  configuration.headsAssumed |= !last;
  sizes.heads[3] = last.value_or(usualLastHeads(sizes));
  requireDivisibleHeads(sizes.channels[3], sizes.heads[3]);
  return configuration;
}

std::string pyramidVariant(const PyramidConfiguration& configuration) {
  const std::string name = "pyramid_" + nameOf(configuration) + "_nano";
  const SoftConfiguration& sizes = configuration.sizes;
  const SoftConfiguration nano = publishedPyramid(name)->sizes;
  const bool same = sizes.channels == nano.channels && sizes.depths == nano.depths &&
                    sizes.heads == nano.heads && sizes.ratios == nano.ratios;
  return same ? name : "custom";
}

std::optional<PyramidConfiguration> publishedPyramid(const std::string& variant) {
  const std::string prefix = "pyramid_";
  const std::string suffix = "_nano";
  if (!variant.starts_with(prefix) || !variant.ends_with(suffix)) return std::nullopt;
  const std::string name =
      variant.substr(prefix.size(), variant.size() - prefix.size() - suffix.size());
  const MechanismImplementation* implementation = findPyramidMechanism(name);
  if (implementation == nullptr) return std::nullopt;
  PyramidConfiguration nano{.sizes = nanoPyramid(10), .implementation = implementation};
  if (!implementation->mechanism->hasLandmarks) nano.sizes.ratios = noRatios;
  nano.features.fill(performerFeatures(defaultHeadWidth));
  return nano;
}

PyramidConfiguration resizedPyramid(PyramidConfiguration configuration,
                                    const ArchitectureSizes& sizes) {
  SoftConfiguration& pyramid = configuration.sizes;
  pyramid = resizedPyramid(pyramid, sizes);
  for (std::size_t s = 0; s < configuration.features.size(); ++s) {
    configuration.features[s] = performerFeatures(pyramid.channels[s] / pyramid.heads[s]);
  }
  return configuration;
}

std::map<std::string, std::string> pyramidMetadata(const PyramidConfiguration& configuration) {
  std::map<std::string, std::string> metadata{{"heads", listedNumbers(configuration.sizes.heads)}};
  if (configuration.implementation->mechanism->hasLandmarks) {
    metadata["ratios"] = listedNumbers(configuration.sizes.ratios);
  }
  return metadata;
}

std::shared_ptr<NetworkModule> pyramidNetwork(const PyramidConfiguration& configuration) {
  const auto attention = [&](std::size_t stage, const std::string& name) {
    const SoftConfiguration& sizes = configuration.sizes;
    return PyramidAttention(PyramidAttentionOptions{.name = name,
                                                    .channels = sizes.channels[stage],
                                                    .heads = sizes.heads[stage],
                                                    .ratio = sizes.ratios[stage],
                                                    .features = configuration.features[stage],
                                                    .landmarks = sizes.landmarks,
                                                    .implementation = configuration.implementation})
        .ptr();
  };
  return std::make_shared<SoftNetwork>(configuration.sizes, attention);
}

}  // namespace softscope
