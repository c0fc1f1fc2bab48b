#include "models/t2t/T2tNetwork.h"

#include "core/Error.h"
#include "models/attention/FactoredAttention.h"
#include "models/attention/NystromformerAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace softscope {

std::string mechanismName(T2tMechanism mechanism) {
  switch (mechanism) {
    case T2tMechanism::Performer:
      return "performer";
    case T2tMechanism::Nystromformer:
      return "nystromformer";
    case T2tMechanism::Softmax:
      break;
  }
  return "softmax";
}

T2tTokensImpl::T2tTokensImpl(const T2tTokenOptions& options) : options_(options) {
  norm1_ = register_module("norm1", LayerNorm(options.inputs, 1e-5));
  norm2_ = register_module("norm2", LayerNorm(options.width, 1e-5));
  if (options.mechanism == T2tMechanism::Performer) {
    addPerformer();
  } else {
    addSoftmax();
  }
}

void T2tTokensImpl::addPerformer() {
  const int width = options_.width;
  features_ = register_parameter("w", torch::empty({options_.features, width}));
  queryKeyValue_ = register_module("kqv", Linear(options_.inputs, 3 * width));
  projection_ = register_module("proj", Linear(width, width));
  Group mlp = register_module("mlp", Group());
  expand_ = mlp->add("0", Linear(width, options_.hidden));
  contract_ = mlp->add("2", Linear(options_.hidden, width));
}

void T2tTokensImpl::addSoftmax() {
  const int width = options_.width;
  Group attention = register_module("attn", Group());
  queryKeyValue_ =
      attention->add("qkv", Linear(options_.inputs, 3 * width, options_.queryKeyValueBias));
  projection_ = attention->add("proj", Linear(width, width));
  Group mlp = register_module("mlp", Group());
  expand_ = mlp->add("fc1", Linear(width, options_.hidden));
  contract_ = mlp->add("fc2", Linear(options_.hidden, width));
}

std::string T2tTokensImpl::layerName() const {
  return options_.mechanism == T2tMechanism::Performer ? options_.name : options_.name + ".attn";
}

torch::Tensor T2tTokensImpl::forward(const torch::Tensor& windows, const TokenGrid& grid,
                                     Recorder* recorder) {
  const Projections projections = project(norm1_->forward(windows));
  const std::string layer = layerName();
  const HeadTerms terms{attend(projections, grid, recorder), {}};
  const torch::Tensor attended =
      projection_->forward(joinTerms(terms, layer, projection_->weight, recorder));
  // V takes the place of the input in other blocks.
  const torch::Tensor value = joinHeads(projections.value);
  recordAddition(recorder, layer, value, attended);
  const torch::Tensor x = value + attended;
  const torch::Tensor hidden = expand_->forward(norm2_->forward(x), Activation::Gelu);
  return recordTokens(recorder, layer, x + contract_->forward(hidden), grid);
}

T2tTokensImpl::Projections T2tTokensImpl::project(const torch::Tensor& windows) const {
  std::vector<torch::Tensor> parts = queryKeyValue_->forward(windows).chunk(3, -1);
  for (torch::Tensor& part : parts) part = splitHeads(part, 1);
  // The published Performer splits into k, q, v; the softmax form into q, k, v.
  if (options_.mechanism == T2tMechanism::Performer) std::swap(parts[0], parts[1]);
  return {parts[0], parts[1], parts[2]};
}

torch::Tensor T2tTokensImpl::attend(const Projections& projections, const TokenGrid& grid,
                                    Recorder* recorder) const {
  AttentionDescription description;
  description.mechanism = mechanismName(options_.mechanism);
  description.queryGrid = grid;
  description.keyGrid = grid;
  if (options_.mechanism == T2tMechanism::Performer) {
    return attendWithFeatures(projections, description, recorder);
  }
  const auto& [query, key, value] = projections;
  const std::string layer = layerName();
  const double scale = 1 / std::sqrt(static_cast<double>(options_.inputs));
  if (options_.mechanism == T2tMechanism::Softmax) {
    return softmaxAttention(query, key, value, scale, layer, description, recorder);
  }
  return attendThroughLandmarks(projections, scale, std::move(description), recorder);
}

torch::Tensor T2tTokensImpl::attendThroughLandmarks(const Projections& projections, double scale,
                                                    AttentionDescription description,
                                                    Recorder* recorder) const {
  const std::string layer = layerName();
  std::optional<LandmarkTokens> chosen;
  if (!options_.landmarks.isTrained()) {
    const TokenGrid& grid = *description.queryGrid;
    chosen = chosenTokens(options_.landmarks, grid, runTokens(grid.count(), landmarks), layer);
    describeLandmarks(description, *chosen);
  }
  const auto means = [&](const torch::Tensor& tokens) {
    return chosen ? landmarkMeans(tokens, *chosen) : meansOfRuns(tokens, landmarks);
  };
  return nystromformerAttention({.query = projections.query,
                                 .key = projections.key,
                                 .value = projections.value,
                                 .queryLandmarks = means(projections.query),
                                 .keyLandmarks = means(projections.key),
                                 .scale = scale},
                                layer, description, recorder);
}

torch::Tensor T2tTokensImpl::attendWithFeatures(const Projections& projections,
                                                const AttentionDescription& description,
                                                Recorder* recorder) const {
  const auto& [query, key, value] = projections;
  const torch::Tensor left = randomFeatures(query);
  const torch::Tensor right = randomFeatures(key);
  return attendWithFactors({left, right, query, key, sumsAnd(1e-8)}, value, layerName(),
                           description, recorder);
}

torch::Tensor T2tTokensImpl::randomFeatures(const torch::Tensor& x) const {
  const torch::Tensor exponents =
      matrixProduct(x, features_.transpose(0, 1)) - x.square().sum(-1, true) / 2;
  return exponents.exp() / std::sqrt(static_cast<double>(options_.features));
}

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
  TokenGrid grid = gridOf(picture);
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
