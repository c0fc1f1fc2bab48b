#include "models/vit/VitModel.h"

#include "core/Error.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedSetting.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitSettings.h"

#include <memory>
#include <utility>

namespace softscope {

VitNetwork::VitNetwork(const VitConfiguration& configuration) : VitBackbone(configuration) {
  const std::string& path = configuration.names.embedding;
  const int patch = configuration.patch;
  if (configuration.isLinearEmbedding) {
    pixels_ = registerAt(*this, path, Linear(3 * patch * patch, configuration.channels));
  } else {
    embedding_ = registerAt(*this, path,
                            Convolution(ConvolutionOptions{.inputs = configuration.pictureChannels,
                                                           .outputs = configuration.channels,
                                                           .kernel = patch,
                                                           .stride = patch,
                                                           .bias = configuration.embeddingBias}));
  }
  addBehindPatches();
}

torch::Tensor VitNetwork::embed(const torch::Tensor& picture) {
  if (pixels_.is_empty()) return embedding_->forward(picture);
  const std::int64_t patch = configuration().patch;
  const torch::Tensor filters =
      pixels_->weight.view({-1, patch, patch, 3}).permute({0, 3, 1, 2}).contiguous();
  return at::conv2d(picture, filters, pixels_->bias, patch);
}

torch::Tensor VitNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embed(picture);
  return classify(tokensOf(map), gridOf(map), recorder);
}

torch::Tensor VitNetwork::forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) {
  const torch::Tensor map = embed(picture);
  return classifySome(tokensOf(map), gridOf(map), kept);
}

void VitNetwork::checkInputSize(int height, int width) const {
  const int side = configuration().patch;
  requireWholePatches(height, width, side);
  checkGrid({height / side, width / side});
}

namespace {

/// Throws ModelError unless the channels of a head form pairs on two axes, which rotary positions
/// need.
void requireRotatedHeads(const VitConfiguration& configuration) {
  if (configuration.rotary.form == RotaryPositions::Form::None) return;
  constexpr int channelsPerAngle = 4;
  const int width = configuration.channels / configuration.heads;
  if (width % channelsPerAngle == 0) return;
  throw ModelError("rotary positions need heads whose channels 4 divides, and " +
                   std::to_string(configuration.heads) + " heads have " + std::to_string(width) +
                   " channels each; choose another --heads");
}

}  // namespace

DefinedModel defineVit(VitConfiguration configuration, const VitIdentity& identity,
                       const ModelHints& hints) {
  if (hints.attention && *hints.attention != "softmax") {
    throw ModelError("the weights of a " + identity.network +
                     " allow no other --attention than "
                     "softmax");
  }
  const int positions = configuration.positions;
  const std::vector<NetworkSetting> settings = resolveVit(configuration, hints);
  const ResolvedHeads heads = resolveHeads(
      configuration.channels,
      identity.heads ? *identity.heads : defaultVitHeads(configuration, identity.network, hints),
      hints);
  configuration.heads = heads.heads;
  requireRotatedHeads(configuration);

  ModelSummary summary;
  summary.family = identity.family;
  summary.variant = identity.variant;
  summary.setOnlyMechanism(configuration.mechanism());
  summary.reason = "Names and shapes are those of " + identity.network + ".";
  describeHeads(heads, summary);
  describeSettings(settings, summary);
  summary.heads = {configuration.heads};
  summary.channels = configuration.channels;
  summary.classes = configuration.classes;
  summary.transform = identity.transform;
  if (configuration.positions != positions) {
    inputSizeOfPositions(configuration.positions, configuration.patch, summary.transform);
  }
  if (const auto resize = resolvePositionResize(configuration, summary.transform, hints)) {
    describeSetting(*resize, summary);
  }
  applyPictures(configuration, summary.transform);
  for (const std::string& block : configuration.names.blocks) {
    summary.layers.push_back({.name = block + "." + configuration.names.block.attention,
                              .mechanism = summary.mechanism,
                              .stage = 1,
                              .heads = configuration.heads});
  }
  if (!configuration.names.pool.layer.empty()) {
    summary.layers.push_back({.name = configuration.names.pool.layer,
                              .mechanism = "softmax_pool",
                              .stage = 1,
                              .heads = configuration.heads});
  }
  DefinedModel model{std::move(summary), std::make_shared<VitNetwork>(configuration)};
  model.pixelNorms = identity.pixelNorms;
  model.publishedAs = publishedVitName(configuration);
  return model;
}

void applyPictures(const VitConfiguration& configuration, InputTransform& transform) {
  transform.channels = configuration.pictureChannels;
  const TokenGrid& grid = configuration.onlyGrid;
  if (grid.count() == 0) return;
  transform.height = grid.height * configuration.patch;
  transform.width = grid.width * configuration.patch;
}

void inputSizeOfPositions(int positions, int patch, InputTransform& transform) {
  if (positions < 1) return;
  int rows = 1;
  for (int candidate = 1; candidate * candidate <= positions; ++candidate) {
    if (positions % candidate == 0) rows = candidate;
  }
  transform.height = rows * patch;
  transform.width = positions / rows * patch;
}

}  // namespace softscope
