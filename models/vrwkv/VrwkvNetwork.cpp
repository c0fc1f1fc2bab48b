#include "models/vrwkv/VrwkvNetwork.h"

#include "core/attention/WkvMap.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

constexpr double vrwkvNormEpsilon = 1e-5;
constexpr std::int64_t wkvRunCount = 32;

/// Returns sum_j exp(k_j) f_ij x_j of tokens, [2, B, n, C] for two x at once, where f is what
/// WkvMap describes; `own` holds exp(k_j) x_j.
torch::Tensor undividedWkv(const torch::Tensor& own, const torch::Tensor& decay,
                           const torch::Tensor& first) {
  const std::int64_t tokens = own.size(2);
  const std::int64_t run = (tokens + wkvRunCount - 1) / wkvRunCount;
  const torch::Tensor falling = (-decay).exp();
  const torch::Tensor growth = decay.exp();
  const torch::Tensor same = first.exp();
  const torch::Tensor result = at::empty_like(own);
  torch::Tensor before = at::zeros_like(own.select(2, 0));  // over j < i
  torch::Tensor within = before;                            // over the run's j < i
  torch::Tensor rising = before;  // of exp(w (i - j)), over the run's j <= i but its first
  for (std::int64_t i = 0; i < tokens; ++i) {
    const torch::Tensor token = own.select(2, i);
    if (i % run == 0) {
      within = at::zeros_like(before);
      rising = within;
    } else {
      rising = rising * growth + token;
    }
    result.select(2, i).copy_(before + (growth - 1) * within + same * token +
                              (1 - growth) * rising);
    before = (before + token) * falling;
    within = (within + token) * falling;
  }
  torch::Tensor after = at::zeros_like(before);
  for (std::int64_t i = tokens; i-- > 0;) {
    result.select(2, i).add_(after);
    after = (after + own.select(2, i)) * falling;
  }
  return result;
}

/// Returns the attention times V, [B, n, C], summed in float64, as exponentials of either sign's
/// decay need.
torch::Tensor wkvProduct(const torch::Tensor& key, const torch::Tensor& value,
                         const torch::Tensor& decay, const torch::Tensor& first) {
  const torch::Tensor keys = key.to(torch::kFloat64);
  const torch::Tensor weights = (keys - keys.amax(1, true)).exp();
  const torch::Tensor both = undividedWkv(at::stack({weights * value, weights}),
                                          decay.to(torch::kFloat64), first.to(torch::kFloat64));
  return (both[0] / both[1]).to(value.scalar_type());
}

}  // namespace

VrwkvShift::VrwkvShift(const torch::Tensor& tokens, const TokenGrid& grid,
                       const VrwkvConfiguration& sizes)
    : tokens_(tokens) {
  const torch::Tensor map = mapOf(tokens, grid);
  const double share = static_cast<double>(tokens.size(2)) * sizes.shiftShare;
  const auto first = [&](int part) { return static_cast<std::int64_t>(share * part); };
  const auto channels = [&](int part) { return map.slice(1, first(part), first(part + 1)); };
  const int x = std::min(sizes.shiftPixels, grid.width);
  const int y = std::min(sizes.shiftPixels, grid.height);
  // Negative padding leaves out lines on one side, and positive adds zeros on the other.
  const torch::Tensor moved =
      at::cat({at::constant_pad_nd(channels(0), {x, -x, 0, 0}),
               at::constant_pad_nd(channels(1), {-x, x, 0, 0}),
               at::constant_pad_nd(channels(2), {0, 0, y, -y}),
               at::constant_pad_nd(channels(3), {0, 0, -y, y}), map.slice(1, first(4))},
              1);
  shifted_ = tokensOf(moved);
}

torch::Tensor VrwkvShift::mixed(const torch::Tensor& shares) const {
  return tokens_ * shares + shifted_ * (1 - shares);
}

VrwkvAttentionImpl::VrwkvAttentionImpl(std::string name, const VrwkvConfiguration& sizes)
    : name_(std::move(name)), sizes_(sizes) {
  const int channels = sizes.channels;
  const auto linear = [&](const char* part) {
    return register_module(part, Linear(channels, channels, false));
  };
  const auto shares = [&](const char* part) {
    return register_parameter(part, torch::empty({1, 1, channels}));
  };
  decay_ = register_parameter("spatial_decay", torch::empty({channels}));
  first_ = register_parameter("spatial_first", torch::empty({channels}));
  keyShares_ = shares("spatial_mix_k");
  valueShares_ = shares("spatial_mix_v");
  gateShares_ = shares("spatial_mix_r");
  key_ = linear("key");
  value_ = linear("value");
  gate_ = linear("receptance");
  if (sizes.normsKeys) {
    keyNorm_ = register_module("key_norm", LayerNorm(channels, vrwkvNormEpsilon));
  }
  output_ = linear("output");
}

void VrwkvAttentionImpl::record(const torch::Tensor& key, const TokenGrid& grid,
                                Recorder* recorder) const {
  AttentionDescription description;
  description.mechanism = "bi_wkv";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.gated = true;
  description.beside =
      "a gate that multiplies each channel, and each channel has a matrix of its own";
  const auto build = [](const AttentionDescription& described, const BuiltTensors::Parts& parts) {
    return std::make_shared<WkvMap>(described, WkvMap::Parts{parts[0], parts[1], parts[2]});
  };
  const double tokens = grid.count();
  const auto ofChannels = [&](const torch::Tensor& x) { return (x / tokens).view({1, 1, -1}); };
  recorder->record(
      AttentionRecord{.layer = name_,
                      .description = std::move(description),
                      .map = BuiltTensors{{key, ofChannels(decay_), ofChannels(first_)}, build},
                      .keyL1 = key.abs().sum(-1)});
}

torch::Tensor VrwkvAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                          Recorder* recorder) {
  const VrwkvShift shift(tokens, grid, sizes_);
  const torch::Tensor key = key_->forward(shift.mixed(keyShares_));
  const torch::Tensor value = value_->forward(shift.mixed(valueShares_));
  if (recorder != nullptr) record(key.slice(0, 0, 1), grid, recorder);
  const double count = grid.count();
  SummedTerms terms;
  terms.attention = wkvProduct(key, value, decay_ / count, first_ / count).unsqueeze(1);
  terms.norm = keyNorm_;
  terms.gate = at::sigmoid(gate_->forward(shift.mixed(gateShares_)));
  return output_->forward(joinSummedTerms(terms, name_, output_->weight, recorder));
}

VrwkvMixingImpl::VrwkvMixingImpl(const VrwkvConfiguration& sizes) : sizes_(sizes) {
  const int channels = sizes.channels;
  keyShares_ = register_parameter("spatial_mix_k", torch::empty({1, 1, channels}));
  gateShares_ = register_parameter("spatial_mix_r", torch::empty({1, 1, channels}));
  key_ = register_module("key", Linear(channels, sizes.hidden, false));
  if (sizes.normsKeys) {
    keyNorm_ = register_module("key_norm", LayerNorm(sizes.hidden, vrwkvNormEpsilon));
  }
  gate_ = register_module("receptance", Linear(channels, channels, false));
  value_ = register_module("value", Linear(sizes.hidden, channels, false));
}

torch::Tensor VrwkvMixingImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid) {
  const VrwkvShift shift(tokens, grid, sizes_);
  torch::Tensor hidden = key_->forward(shift.mixed(keyShares_), Activation::Relu).square();
  if (!keyNorm_.is_empty()) hidden = keyNorm_->forward(hidden);
  return at::sigmoid(gate_->forward(shift.mixed(gateShares_))) * value_->forward(hidden);
}

VrwkvNetwork::VrwkvNetwork(const VrwkvConfiguration& configuration)
    : configuration_(configuration) {
  const int channels = configuration.channels;
  const auto addNorm = [&](const std::string& path) {
    return registerAt(*this, path, LayerNorm(channels, vrwkvNormEpsilon));
  };
  positions_ = registerParameterAt(*this, configuration.prefix + "pos_embed",
                                   {1, configuration.side * configuration.side, channels});
  embedding_ = registerAt(*this, configuration.prefix + "patch_embed.projection",
                          Convolution(ConvolutionOptions{.inputs = 3,
                                                         .outputs = channels,
                                                         .kernel = configuration.patch,
                                                         .stride = configuration.patch}));
  for (int i = 0; i < configuration.depth; ++i) {
    const std::string path = configuration.layer(i);
    Layer layer;
    if (i == 0) layer.norm0 = addNorm(path + "ln0");
    layer.norm1 = addNorm(path + "ln1");
    layer.norm2 = addNorm(path + "ln2");
    layer.attention = registerAt(*this, path + "att", VrwkvAttention(path + "att", configuration));
    layer.mixing = registerAt(*this, path + "ffn", VrwkvMixing(configuration));
    if (configuration.hasScales) {
      layer.scale1 = registerParameterAt(*this, path + "gamma1", {channels});
      layer.scale2 = registerParameterAt(*this, path + "gamma2", {channels});
    }
    layers_.push_back(layer);
  }
  if (configuration.hasFinalNorm) norm_ = addNorm(configuration.prefix + "ln1");
  if (configuration.classes > 0) {
    head_ = registerAt(*this, "head.fc", Linear(channels, configuration.classes));
  }
}

torch::Tensor VrwkvNetwork::positionsFor(const TokenGrid& grid) const {
  const int side = configuration_.side;
  if (grid == TokenGrid{side, side}) return positions_;
  const torch::Tensor map = mapOf(positions_, {side, side});
  return tokensOf(at::upsample_bicubic2d(map, {grid.height, grid.width}, false));
}

torch::Tensor VrwkvNetwork::run(Layer& layer, const torch::Tensor& tokens, const TokenGrid& grid,
                                Recorder* recorder) {
  torch::Tensor x = layer.norm0.is_empty() ? tokens : layer.norm0->forward(tokens);
  const std::string& name = layer.attention->layer();
  const auto scaled = [](const torch::Tensor& scale, const torch::Tensor& added) {
    return scale.defined() ? scale * added : added;
  };
  if (!configuration_.normsAfter) {
    const torch::Tensor attended =
        scaled(layer.scale1, layer.attention->forward(layer.norm1->forward(x), grid, recorder));
    recordAddition(recorder, name, x, attended, layer.scale1);
    x = x + attended;
    const torch::Tensor mixed = layer.mixing->forward(layer.norm2->forward(x), grid);
    return recordTokens(recorder, name, x + scaled(layer.scale2, mixed), grid);
  }
  const torch::Tensor projected = layer.attention->forward(x, grid, recorder);
  const torch::Tensor attended = scaled(layer.scale1, layer.norm1->forward(projected));
  recordNormedAddition(recorder, name, x, attended, {projected, layer.norm1, layer.scale1});
  x = x + attended;
  const torch::Tensor mixed = layer.norm2->forward(layer.mixing->forward(x, grid));
  return recordTokens(recorder, name, x + scaled(layer.scale2, mixed), grid);
}

torch::Tensor VrwkvNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embedding_->forward(picture);
  const TokenGrid grid = gridOf(map);
  torch::Tensor tokens = tokensOf(map) + positionsFor(grid);
  for (Layer& layer : layers_) tokens = run(layer, tokens, grid, recorder);
  if (!norm_.is_empty()) tokens = norm_->forward(tokens);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokens; });
    return {};
  }
  return head_->forward(tokens.mean(1));
}

void VrwkvNetwork::checkInputSize(int height, int width) const {
  requireWholePatches(height, width, configuration_.patch);
}

}  // namespace softscope
