#include "models/structure/NonLocalCnnNetwork.h"

#include "core/Error.h"
#include "models/attention/FactoredAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

constexpr std::int64_t poolOfKeys = 2;

/// Flattens a map [B, C, H, W] to [B, 1, n, C].
torch::Tensor oneHead(const torch::Tensor& map) {
  return tokensOf(map).unsqueeze(1);
}

}  // namespace

NonLocalCnnNetwork::NonLocalCnnNetwork(const NonLocalCnnStructure& structure)
    : structure_(structure) {
  const auto addNorm = [&](const std::string& path, std::int64_t channels) {
    norms_.emplace(path, registerAt(*this, path, BatchNorm(static_cast<int>(channels))));
  };
  for (const CnnStep& step : structure.steps) {
    if (const auto* convolution = std::get_if<CnnConvolution>(&step)) {
      addWeight(convolution->path, convolution->shape, convolution->hasBias);
    } else if (const auto* norm = std::get_if<CnnBatchNorm>(&step)) {
      addNorm(norm->path, norm->channels);
    } else if (const auto* product = std::get_if<CnnProduct>(&step)) {
      addWeight(product->path, {product->outputs, product->inputs}, product->hasBias);
    } else if (const auto* block = std::get_if<CnnNonLocal>(&step)) {
      addNonLocal(*block);
      if (!block->outputNorm.empty()) addNorm(block->outputNorm, block->channels);
    }
  }
}

void NonLocalCnnNetwork::addWeight(const std::string& path, const std::vector<std::int64_t>& shape,
                                   bool hasBias) {
  weights_[path] = registerParameterAt(*this, path + ".weight", shape);
  if (hasBias) biases_[path] = registerParameterAt(*this, path + ".bias", {shape.front()});
}

void NonLocalCnnNetwork::addNonLocal(const CnnNonLocal& block) {
  for (const std::string& path : {block.g, block.theta, block.phi}) {
    if (!path.empty()) addWeight(path, {block.inner, block.channels, 1, 1}, block.hasBiases);
  }
  addWeight(block.output, {block.channels, block.inner, 1, 1}, block.hasOutputBias);
  if (!block.concatenation.empty()) {
    addWeight(block.concatenation, {1, 2 * block.inner, 1, 1}, false);
  }
}

torch::Tensor NonLocalCnnNetwork::convolve(const std::string& path, const torch::Tensor& map,
                                           std::int64_t stride, std::int64_t padding) const {
  const auto bias = biases_.find(path);
  return at::conv2d(map, weights_.at(path), bias == biases_.end() ? torch::Tensor() : bias->second,
                    stride, padding);
}

torch::Tensor NonLocalCnnNetwork::weigh(const CnnNonLocal& block, const torch::Tensor& query,
                                        const torch::Tensor& key, const torch::Tensor& value,
                                        AttentionDescription description,
                                        Recorder* recorder) const {
  const auto keys = static_cast<double>(key.size(2));
  switch (structure_.kind) {
    case NonLocalKind::EmbeddedGaussian:
      description.mechanism = "nonlocal";
      return softmaxAttention(query, key, value,
                              structure_.scalesProducts ? inverseRootOfWidth(query) : 1, block.path,
                              description, recorder);
    case NonLocalKind::Gaussian:
      description.mechanism = "nonlocal_gaussian";
      return softmaxAttention(query, key, value, 1, block.path, description, recorder);
    case NonLocalKind::DotProduct:
      description.mechanism = "nonlocal_dot";
      return attendWithFactors({query / keys, key, query, key}, value, block.path, description,
                               recorder);
    case NonLocalKind::Concatenation:
      break;
  }
  description.mechanism = "nonlocal_concatenation";
  // The product with [theta; phi] is a sum of one with each.
  const torch::Tensor both = weights_.at(block.concatenation).view({1, -1});
  const torch::Tensor ofQueries = matrixProduct(query, both.slice(1, 0, block.inner).t());
  const torch::Tensor ofKeys = matrixProduct(key, both.slice(1, block.inner).t());
  const torch::Tensor weights = at::relu(ofQueries + ofKeys.transpose(-1, -2)) / keys;
  if (recorder != nullptr) {
    recorder->record(AttentionRecord{.layer = block.path,
                                     .description = std::move(description),
                                     .map = DenseTensors{weights[0]},
                                     .queryL1 = query[0].abs().sum(-1),
                                     .keyL1 = key[0].abs().sum(-1),
                                     .value = value[0]});
  }
  return matrixProduct(weights, value);
}

torch::Tensor NonLocalCnnNetwork::run(const CnnNonLocal& block, const torch::Tensor& map,
                                      Recorder* recorder) {
  const auto pooled = [&](const torch::Tensor& x) {
    return structure_.poolsKeys ? at::max_pool2d(x, poolOfKeys) : x;
  };
  const bool embeds = !block.theta.empty();
  const torch::Tensor query = embeds ? convolve(block.theta, map) : map;
  const torch::Tensor key = pooled(embeds ? convolve(block.phi, map) : map);
  const torch::Tensor value = pooled(convolve(block.g, map));
  AttentionDescription description;
  description.queryGrid = gridOf(map);
  description.keyGrid = gridOf(key);
  const torch::Tensor attended =
      weigh(block, oneHead(query), oneHead(key), oneHead(value), std::move(description), recorder);
  const torch::Tensor joined =
      joinTerms({attended, {}}, block.path, weights_.at(block.output).flatten(1), recorder);
  torch::Tensor output = convolve(block.output, mapOf(joined, gridOf(map)));
  torch::Tensor scale;
  if (const auto norm = norms_.find(block.outputNorm); norm != norms_.end()) {
    output = norm->second->forward(output);
    if (looksAtTerms(recorder)) scale = norm->second->terms().scale();
  }
  recordAddition(recorder, block.path, map, output, scale);
  return recordTokens(recorder, block.path, map + output, gridOf(map));
}

torch::Tensor NonLocalCnnNetwork::forward(const torch::Tensor& pictures, Recorder* recorder) {
  torch::Tensor x = pictures;
  for (const CnnStep& step : structure_.steps) {
    if (const auto* convolution = std::get_if<CnnConvolution>(&step)) {
      x = convolve(convolution->path, x, convolution->stride, convolution->padding);
    } else if (const auto* norm = std::get_if<CnnBatchNorm>(&step)) {
      x = norms_.at(norm->path)->forward(x);
    } else if (const auto* pooling = std::get_if<CnnPooling>(&step)) {
      x = pooling->isMean ? at::avg_pool2d(x, pooling->side) : at::max_pool2d(x, pooling->side);
    } else if (std::holds_alternative<CnnGlobalPooling>(step)) {
      x = structure_.takesLargest ? x.amax({2, 3}) : x.mean({2, 3});
    } else if (std::holds_alternative<CnnActivation>(step)) {
      x = at::relu(x);
    } else if (std::holds_alternative<CnnFlattening>(step)) {
      x = x.flatten(1);
    } else if (const auto* product = std::get_if<CnnProduct>(&step)) {
      const auto bias = biases_.find(product->path);
      x = linearProduct(x, weights_.at(product->path),
                        bias == biases_.end() ? torch::Tensor() : bias->second);
    } else {
      x = run(std::get<CnnNonLocal>(step), x, recorder);
    }
  }
  return x;
}

void NonLocalCnnNetwork::checkInputSize(int height, int width) const {
  // Sizes of the map at the first product, which takes them as they are.
  std::int64_t rows = height;
  std::int64_t columns = width;
  std::int64_t channels = structure_.pictureChannels;
  const std::string ownSize =
      std::to_string(structure_.height) + "x" + std::to_string(structure_.width);
  for (const CnnStep& step : structure_.steps) {
    if (const auto* convolution = std::get_if<CnnConvolution>(&step)) {
      const auto shrunk = [&](std::int64_t side, std::int64_t kernel) {
        return (side + 2 * convolution->padding - kernel) / convolution->stride + 1;
      };
      rows = shrunk(rows, convolution->shape[2]);
      columns = shrunk(columns, convolution->shape[3]);
      channels = convolution->shape[0];
    } else if (const auto* pooling = std::get_if<CnnPooling>(&step)) {
      rows /= pooling->side;
      columns /= pooling->side;
    } else if (std::holds_alternative<CnnGlobalPooling>(step)) {
      rows = std::min<std::int64_t>(rows, 1);
      columns = std::min<std::int64_t>(columns, 1);
    } else if (std::holds_alternative<CnnNonLocal>(step)) {
      if (!structure_.poolsKeys || std::min(rows, columns) >= poolOfKeys) continue;
      throw InspectionError("a picture of " + std::to_string(height) + " x " +
                            std::to_string(width) +
                            " leaves a map that is too small for this model's non-local block, "
                            "which pools its keys by 2 x 2; choose --size " +
                            ownSize);
    } else if (const auto* product = std::get_if<CnnProduct>(&step)) {
      if (rows > 0 && columns > 0 && channels * rows * columns == product->inputs) return;
      throw InspectionError("a picture of " + std::to_string(height) + " x " +
                            std::to_string(width) +
                            " leaves a map that this model's head does not "
                            "take; choose --size " +
                            ownSize);
    }
  }
}

}  // namespace softscope
