#include "models/deit/DeitNetwork.h"

#include "core/Error.h"

namespace softscope {

DeitNetwork::DeitNetwork(const DeitConfiguration& configuration, int patch)
    : DeitBackbone(configuration), patch_(patch) {
  Group embedding = register_module("patch_embed", Group());
  embedding_ = embedding->add(
      "proj",
      Convolution(ConvolutionOptions{
          .inputs = 3, .outputs = configuration.channels, .kernel = patch, .stride = patch}));
}

torch::Tensor DeitNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embedding_->forward(picture);
  const TokenGrid grid{static_cast<int>(map.size(2)), static_cast<int>(map.size(3))};
  return classify(tokensOf(map), grid, recorder);
}

void DeitNetwork::checkInputSize(int height, int width) const {
  if (height < patch_ || width < patch_ || height % patch_ != 0 || width % patch_ != 0) {
    const std::string patch = std::to_string(patch_);
    throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                          " cannot be cut into this model's patches of " + patch + " x " + patch +
                          ": both sides must be multiples of " + patch);
  }
  checkGrid({height / patch_, width / patch_});
}

}  // namespace softscope
