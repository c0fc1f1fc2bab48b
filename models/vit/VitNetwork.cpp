#include "models/vit/VitNetwork.h"

#include "core/Error.h"
#include "models/layers/ModuleTree.h"

namespace softscope {

namespace {

TokenGrid gridOfMap(const torch::Tensor& map) {
  return {static_cast<int>(map.size(2)), static_cast<int>(map.size(3))};
}

}  // namespace

VitNetwork::VitNetwork(const VitConfiguration& configuration) : VitBackbone(configuration) {
  embedding_ = registerAt(*this, configuration.names.embedding,
                          Convolution(ConvolutionOptions{.inputs = 3,
                                                         .outputs = configuration.channels,
                                                         .kernel = configuration.patch,
                                                         .stride = configuration.patch,
                                                         .bias = configuration.embeddingBias}));
}

torch::Tensor VitNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embedding_->forward(picture);
  return classify(tokensOf(map), gridOfMap(map), recorder);
}

torch::Tensor VitNetwork::forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) {
  const torch::Tensor map = embedding_->forward(picture);
  return classifySome(tokensOf(map), gridOfMap(map), kept);
}

void VitNetwork::checkInputSize(int height, int width) const {
  const int side = configuration().patch;
  if (height < side || width < side || height % side != 0 || width % side != 0) {
    const std::string patch = std::to_string(side);
    throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                          " cannot be cut into this model's patches of " + patch + " x " + patch +
                          ": both sides must be multiples of " + patch);
  }
  checkGrid({height / side, width / side});
}

}  // namespace softscope
