#include "models/swin/SwinAttention.h"

#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"

#include <cmath>

namespace softscope {

namespace {

/// Arranges queries, keys or values [B, n, heads d] by windows, [B, windows, heads, places, d].
torch::Tensor byWindows(const torch::Tensor& tokens, const torch::Tensor& padding,
                        const WindowTokens& divided, int heads) {
  const std::int64_t pictures = tokens.size(0);
  const std::int64_t count = tokens.size(1);
  torch::Tensor all = tokens;
  torch::Tensor index = divided.tokens;
  if (divided.isPadded()) {
    all = at::cat({tokens, padding.expand({pictures, 1, -1})}, 1);
    index = index.where(index.ge(0), torch::full_like(index, count));
  }
  return all.index_select(1, index.flatten())
      .view({pictures, index.size(0), index.size(1), heads, -1})
      .transpose(2, 3);
}

/// Arranges what windows computed, [B, windows, heads, places, d], by tokens, [B, heads, n, d].
torch::Tensor byTokens(const torch::Tensor& windows, const WindowTokens& divided) {
  return windows.transpose(1, 2).flatten(2, 3).index_select(2, divided.places);
}

/// Returns the l1 norms of queries or keys [n, heads d]: [heads, n].
torch::Tensor headNorms(const torch::Tensor& tokens, int heads) {
  return tokens.view({tokens.size(0), heads, -1}).abs().sum(-1).t();
}

torch::Tensor unitVectors(const torch::Tensor& x) {
  return x / x.norm(2, -1, true).clamp_min(1e-12);
}

/// Returns the logarithmic coordinates of a window's relative positions along one axis, in units of
/// the window that the biases were trained with.
torch::Tensor logarithmicPositions(int side, int trainedSide) {
  const torch::Tensor apart = torch::arange(1 - side, side, torch::kFloat32);
  const torch::Tensor scaled = apart / std::max(trainedSide - 1, 1) * 8;
  return scaled.sign() * (scaled.abs() + 1).log2() / std::log2(8.0);
}

torch::Tensor logarithmicPositions(const TokenGrid& window, int pretrainedWindow) {
  const auto trained = [&](int side) { return pretrainedWindow > 0 ? pretrainedWindow : side; };
  const torch::Tensor rows = logarithmicPositions(window.height, trained(window.height));
  const torch::Tensor columns = logarithmicPositions(window.width, trained(window.width));
  return torch::stack({rows.unsqueeze(1).expand({-1, columns.size(0)}),
                       columns.unsqueeze(0).expand({rows.size(0), -1})},
                      -1);
}

void describeWindows(const SwinWindows& windows, AttentionDescription& description) {
  description.mechanism = "softmax_window";
  description.parameters["window_height"] = windows.window.height;
  description.parameters["window_width"] = windows.window.width;
  description.parameters["shift_height"] = windows.shift.height;
  description.parameters["shift_width"] = windows.shift.width;
}

}  // namespace

SwinAttention::SwinAttention(torch::nn::Module& network, const std::string& path,
                             const SwinConfiguration& configuration, const SwinStage& stage)
    : layer_(path + "." + configuration.names.attention),
      heads_(stage.heads),
      isV2_(configuration.isV2),
      zeroesKeyBias_(configuration.isV2 &&
                     configuration.names.library == SwinNames::Library::Torchvision),
      pretrainedWindow_(stage.pretrainedWindow) {
  const SwinNames& names = configuration.names;
  const auto at = [&](const std::string& name) { return path + "." + name; };
  const auto addLinear = [&](const std::string& name, int inputs, int outputs, bool bias) {
    return registerAt(network, at(name), Linear(inputs, outputs, bias));
  };
  const bool bias = configuration.hasQueryBias;
  if (names.queryKeyValue.empty()) {
    query_ = addLinear(names.query, stage.channels, stage.inner, bias);
    key_ = addLinear(names.key, stage.channels, stage.inner, bias && !isV2_);
    value_ = addLinear(names.value, stage.channels, stage.inner, bias);
  } else {
    const bool isPacked = bias && names.queryBias.empty();
    queryKeyValue_ = addLinear(names.queryKeyValue, stage.channels, 3 * stage.inner, isPacked);
    if (!names.queryBias.empty()) {
      queryBias_ = registerParameterAt(network, at(names.queryBias), {stage.inner});
      valueBias_ = registerParameterAt(network, at(names.valueBias), {stage.inner});
    }
  }
  if (isV2_) {
    scale_ = registerParameterAt(network, at(names.scale), {stage.heads, 1, 1});
    positionExpand_ = addLinear(names.positionMlp + ".0", 2, configuration.positionChannels, true);
    positionContract_ =
        addLinear(names.positionMlp + ".2", configuration.positionChannels, stage.heads, false);
    if (configuration.hasCoordinates) {
      coordinates_ =
          registerParameterAt(network, at(names.coordinates),
                              {1, 2 * stage.window.height - 1, 2 * stage.window.width - 1, 2});
    }
  } else {
    table_ = registerParameterAt(network, at(names.table), {stage.table, stage.heads});
  }
  projection_ = addLinear(names.projection, stage.inner, stage.channels, true);
}

SwinAttention::Projected SwinAttention::project(const Linear& linear, const torch::Tensor& bias,
                                                const torch::Tensor& tokens) {
  torch::Tensor projected = linear->forward(tokens);
  if (bias.defined()) projected = projected + bias;
  torch::Tensor padding = bias.defined() ? bias : linear->bias;
  if (!padding.defined()) padding = torch::zeros({projected.size(-1)}, projected.options());
  return {projected, padding};
}

std::vector<SwinAttention::Projected> SwinAttention::queriesKeysValues(
    const torch::Tensor& tokens) {
  if (queryKeyValue_.is_empty()) {
    return {project(query_, {}, tokens), project(key_, {}, tokens), project(value_, {}, tokens)};
  }
  torch::Tensor bias;
  if (queryBias_.defined()) {
    bias = at::cat({queryBias_, torch::zeros_like(queryBias_), valueBias_});
  }
  const Projected packed = project(queryKeyValue_, bias, tokens);
  const auto all = packed.tokens.chunk(3, -1);
  const auto padding = packed.padding.chunk(3, -1);
  std::vector<Projected> parts;
  for (std::size_t i = 0; i < all.size(); ++i) parts.push_back({all[i], padding[i]});
  if (zeroesKeyBias_ && queryKeyValue_->bias.defined()) {
    parts[1] = {parts[1].tokens - padding[1], torch::zeros_like(padding[1])};
  }
  return parts;
}

torch::Tensor SwinAttention::positionBiases(const TokenGrid& window) {
  torch::Tensor positions =
      coordinates_.defined() ? coordinates_[0] : logarithmicPositions(window, pretrainedWindow_);
  positions = positions.to(positionExpand_->weight.options()).flatten(0, 1);
  const torch::Tensor hidden = positionExpand_->forward(positions, Activation::Relu);
  return 16 * positionContract_->forward(hidden).sigmoid();
}

torch::Tensor SwinAttention::biases(const TokenGrid& window) {
  const torch::Tensor table = isV2_ ? positionBiases(window) : table_;
  return table.index_select(0, relativePlaces(window, table.device()))
      .view({window.count(), window.count(), heads_})
      .permute({2, 0, 1});
}

torch::Tensor SwinAttention::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                     const SwinWindows& windows, Recorder* recorder) {
  if (recorder != nullptr) recorder->throwIfCancelled();
  const WindowTokens divided = windowTokens(grid, windows, tokens.device());
  const std::vector<Projected> projected = queriesKeysValues(tokens);
  const auto windowed = [&](std::size_t which) {
    return byWindows(projected[which].tokens, projected[which].padding, divided, heads_);
  };
  torch::Tensor query = windowed(0);
  torch::Tensor key = windowed(1);
  if (isV2_) {
    constexpr double largest = 4.605170185988092;  // ln 100
    query = unitVectors(query) * scale_.clamp_max(largest).exp();
    key = unitVectors(key);
  } else {
    query = query * inverseRootOfWidth(query);
  }
  torch::Tensor scores = matrixProduct(query, key.transpose(-1, -2)) + biases(windows.window);
  for (int i = 0; divided.mask.defined() && i < windows.masks; ++i) scores = scores + divided.mask;
  const torch::Tensor weights = softmaxOfRows(scores.contiguous());
  if (recorder != nullptr) {
    AttentionRecord record{.layer = layer_,
                           .map = BlockTensors{.values = weights[0].transpose(0, 1).contiguous(),
                                               .rows = divided.tokens,
                                               .columns = divided.tokens,
                                               .queries = grid.count(),
                                               .keys = grid.count()},
                           .queryL1 = headNorms(projected[0].tokens[0], heads_),
                           .keyL1 = headNorms(projected[1].tokens[0], heads_)};
    describeWindows(windows, record.description);
    record.description.queryGrid = grid;
    record.description.keyGrid = grid;
    recorder->record(std::move(record));
  }
  const torch::Tensor attended = byTokens(matrixProduct(weights, windowed(2)), divided);
  return projection_->forward(joinTerms({attended, {}}, layer_, projection_->weight, recorder));
}

}  // namespace softscope
