#include "models/vit/VitNetwork.h"

#include "core/Error.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"

namespace softscope {

namespace {

TokenGrid gridOfMap(const torch::Tensor& map) {
  return {static_cast<int>(map.size(2)), static_cast<int>(map.size(3))};
}

}  // namespace

VitNetwork::VitNetwork(const VitConfiguration& configuration) : VitBackbone(configuration) {
  const std::string& path = configuration.names.embedding;
  const int patch = configuration.patch;
  if (configuration.isLinearEmbedding) {
    pixels_ = registerAt(*this, path, Linear(3 * patch * patch, configuration.channels));
  } else {
    embedding_ = registerAt(*this, path,
                            Convolution(ConvolutionOptions{.inputs = 3,
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
  return classify(tokensOf(map), gridOfMap(map), recorder);
}

torch::Tensor VitNetwork::forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) {
  const torch::Tensor map = embed(picture);
  return classifySome(tokensOf(map), gridOfMap(map), kept);
}

void VitNetwork::checkInputSize(int height, int width) const {
  const int side = configuration().patch;
  requireWholePatches(height, width, side);
  checkGrid({height / side, width / side});
}

}  // namespace softscope
