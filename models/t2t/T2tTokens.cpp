#include "models/t2t/T2tTokens.h"

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

}  // namespace softscope
