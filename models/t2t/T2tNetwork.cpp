#include "models/t2t/T2tNetwork.h"

#include "core/Error.h"

namespace softscope {

namespace {

/// A soft split: overlapping windows of the map become tokens.
struct SoftSplit {
  int kernel;
  int stride;
  int padding;

  /// Returns the number of windows along a side of the map; zero if it is too short.
  int count(int side) const {
    const int room = side + 2 * padding - kernel;
    return room < 0 ? 0 : room / stride + 1;
  }
  TokenGrid grid(const TokenGrid& map) const { return {count(map.height), count(map.width)}; }
  /// Maps [B, C, H, W] to [B, n, C * kernel^2].
  torch::Tensor unfold(const torch::Tensor& map) const {
    return at::im2col(map, {kernel, kernel}, {1, 1}, {padding, padding}, {stride, stride})
        .transpose(1, 2);
  }
};

constexpr SoftSplit splits[] = {{7, 4, 2}, {3, 2, 1}, {3, 2, 1}};

}  // namespace

T2tNetwork::T2tNetwork(const T2tConfiguration& configuration)
    : VitBackbone(configuration.backbone), mechanism_(configuration.mechanism) {
  Group group = register_module("tokens_to_token", Group());
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string name = "attention" + std::to_string(i + 1);
    const int channels = i == 0 ? 3 : configuration.tokenWidth;
    tokens_[i] = group->add(
        name, T2tTokens(T2tTokenOptions{.name = "tokens_to_token." + name,
                                        .inputs = channels * splits[i].kernel * splits[i].kernel,
                                        .width = configuration.tokenWidth,
                                        .hidden = configuration.tokenHidden,
                                        .features = configuration.features,
                                        .queryKeyValueBias = configuration.tokenBias,
                                        .mechanism = configuration.mechanism,
                                        .landmarks = configuration.landmarks}));
  }
  const int window = configuration.tokenWidth * splits[2].kernel * splits[2].kernel;
  projection_ = group->add("project", Linear(window, configuration.backbone.channels));
  addBehindPatches();
}

torch::Tensor T2tNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor map = picture;
  TokenGrid grid{static_cast<int>(picture.size(2)), static_cast<int>(picture.size(3))};
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    grid = splits[i].grid(grid);
    map = mapOf(tokens_[i]->forward(splits[i].unfold(map), grid, recorder), grid);
  }
  grid = splits[2].grid(grid);
  return classify(projection_->forward(splits[2].unfold(map)), grid, recorder);
}

bool T2tNetwork::takesSide(int side) const {
  const int fewest = mechanism_ == T2tMechanism::Nystromformer ? T2tTokensImpl::landmarks : 1;
  const int first = splits[0].count(side);
  const int second = splits[1].count(first);
  return first > 0 && second * second >= fewest;
}

void T2tNetwork::checkInputSize(int height, int width) const {
  const std::string size = std::to_string(height) + " x " + std::to_string(width);
  if (splits[0].count(height) != splits[0].count(width)) {
    throw InspectionError("T2T-ViT takes square pictures only, and this one is " + size);
  }
  if (!takesSide(height) || !takesSide(width)) {
    int smallest = 1;
    while (!takesSide(smallest)) ++smallest;
    const std::string reason =
        mechanism_ == T2tMechanism::Nystromformer
            ? ", below which the second token module has fewer tokens than its " +
                  std::to_string(T2tTokensImpl::landmarks) + " landmarks"
            : "";
    throw InspectionError("a picture of " + size +
                          " is too small for this model: it takes squares from " +
                          std::to_string(smallest) + " x " + std::to_string(smallest) + reason);
  }
  TokenGrid grid{height, width};
  for (const SoftSplit& split : splits) grid = split.grid(grid);
  checkGrid(grid);
}

}  // namespace softscope
