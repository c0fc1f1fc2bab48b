#include "models/lineardeit/AgentAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Products.h"

#include <cmath>
#include <vector>

namespace softscope {

namespace {

/// Side of the bias tables, which are resized to the grid.
constexpr int tableSide = 7;

AttentionDescription describeWithClassToken(const char* mechanism, const TokenGrid& grid) {
  AttentionDescription description;
  description.mechanism = mechanism;
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.prefixTokens = 1;
  return description;
}

/// Resizes [heads, agents, 7, 7] to [1, heads, agents, side^2].
torch::Tensor stretchedTable(const torch::Tensor& table, int side) {
  return at::upsample_bilinear2d(table, {side, side}, false).flatten(2).unsqueeze(0);
}

}  // namespace

AgentAttentionImpl::AgentAttentionImpl(const AgentAttentionOptions& options)
    : StageAttention(options.name),
      heads_(options.heads),
      agents_(options.agents),
      side_(options.side) {
  const int channels = options.channels;
  const int heads = options.heads;
  const int agents = options.agents;
  queryKeyValue_ =
      register_module("qkv", Linear(channels, 3 * channels, options.queryKeyValueBias));
  projection_ = register_module("proj", Linear(channels, channels));
  convolution_ = register_module(
      "dwc",
      Convolution(ConvolutionOptions{
          .inputs = channels, .outputs = channels, .kernel = 3, .padding = 1, .groups = channels}));
  const auto parameter = [&](const char* name, at::IntArrayRef shape) {
    return register_parameter(name, torch::empty(shape));
  };
  keyTable_ = parameter("an_bias", {heads, agents, tableSide, tableSide});
  keyRows_ = parameter("ah_bias", {1, heads, agents, side_, 1});
  keyColumns_ = parameter("aw_bias", {1, heads, agents, 1, side_});
  keyClass_ = parameter("ac_bias", {1, heads, agents, 1});
  queryTable_ = parameter("na_bias", {heads, agents, tableSide, tableSide});
  queryRows_ = parameter("ha_bias", {1, heads, side_, 1, agents});
  queryColumns_ = parameter("wa_bias", {1, heads, 1, side_, agents});
  queryClass_ = parameter("ca_bias", {1, heads, 1, agents});
}

torch::Tensor AgentAttentionImpl::biasOfKeys() const {
  const torch::Tensor patches =
      stretchedTable(keyTable_, side_) + (keyRows_ + keyColumns_).flatten(3);
  return at::cat({keyClass_, patches}, 3);
}

torch::Tensor AgentAttentionImpl::biasOfQueries() const {
  const torch::Tensor patches = stretchedTable(queryTable_, side_).transpose(2, 3) +
                                (queryRows_ + queryColumns_).flatten(2, 3);
  return at::cat({queryClass_, patches}, 2);
}

torch::Tensor AgentAttentionImpl::agentsOf(const torch::Tensor& query,
                                           const TokenGrid& grid) const {
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(agents_)));
  const torch::Tensor map = mapOf(joinHeads(query).slice(1, 1), grid);
  return splitHeads(tokensOf(at::adaptive_avg_pool2d(map, {side, side})), heads_);
}

torch::Tensor AgentAttentionImpl::convolve(const torch::Tensor& value,
                                           const TokenGrid& grid) const {
  const torch::Tensor map = mapOf(joinHeads(value).slice(1, 1), grid);
  const torch::Tensor patches = tokensOf(convolution_.ptr()->forward(map));
  return splitHeads(at::constant_pad_nd(patches, {0, 0, 1, 0}), heads_);
}

torch::Tensor AgentAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                          Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], heads_);
  const torch::Tensor key = splitHeads(parts[1], heads_);
  const torch::Tensor value = splitHeads(parts[2], heads_);
  const torch::Tensor agents = agentsOf(query, grid);
  const double scale = inverseRootOfWidth(query);
  const torch::Tensor ofQueries =
      (matrixProduct(query * scale, agents.transpose(-1, -2)) + biasOfQueries()).softmax(-1);
  const torch::Tensor ofAgents =
      (matrixProduct(agents * scale, key.transpose(-1, -2)) + biasOfKeys()).softmax(-1);
  AttentionDescription description = describeWithClassToken("agent", grid);
  description.filtersChannels = true;
  const torch::Tensor attended = attendWithFactors(
      {ofQueries, ofAgents.transpose(-1, -2), query, key}, value, layer(), description, recorder);
  const HeadTerms terms{attended, convolve(value, grid)};
  return projection_->forward(joinTerms(terms, layer(), projection_->weight, recorder));
}

SoftmaxBlockAttentionImpl::SoftmaxBlockAttentionImpl(const std::string& name, int channels,
                                                     int heads, bool queryKeyValueBias)
    : StageAttention(name), heads_(heads) {
  queryKeyValue_ = register_module("qkv", Linear(channels, 3 * channels, queryKeyValueBias));
  projection_ = register_module("proj", Linear(channels, channels));
}

torch::Tensor SoftmaxBlockAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                                 Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], heads_);
  const torch::Tensor attended = softmaxAttention(
      query, splitHeads(parts[1], heads_), splitHeads(parts[2], heads_), inverseRootOfWidth(query),
      layer(), describeWithClassToken("softmax", grid), recorder);
  return projection_->forward(joinTerms({attended, {}}, layer(), projection_->weight, recorder));
}

}  // namespace softscope
