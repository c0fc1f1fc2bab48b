#include "core/Error.h"
#include "models/attention/FactoredAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/identify/Families.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/StoredOptions.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Layers.h"
#include "models/layers/Products.h"
#include "models/layers/TransformerBlock.h"
#include "models/lineardeit/ClassTokenNetwork.h"

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

struct AgentAttentionOptions {
  std::string name;
  int channels = 0;
  int heads = 0;
  /// Number of agents, a square number.
  int agents = 0;
  /// Number of patches per side.
  int side = 0;
  bool queryKeyValueBias = true;
};

/// Agent attention of "Agent Attention: On the Integration of Softmax and Linear Attention", 2023:
/// softmax(s q a^T + B2) softmax(s a k^T + B1) with s = d^(-1/2) and agents a, the means of the
/// patches' queries in p x p areas. Queries and keys include the class token. A depthwise 3 x 3
/// convolution of the patches' V is added.
class AgentAttentionImpl : public StageAttention {
 public:
  explicit AgentAttentionImpl(const AgentAttentionOptions& options);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  /// Returns the biases; B1 is [1, heads, agents, 1 + n], and B2 is [1, heads, 1 + n, agents].
  torch::Tensor biasOfKeys() const;
  torch::Tensor biasOfQueries() const;
  /// Computes agents [B, heads, agents, d] from queries [B, heads, 1 + n, d].
  torch::Tensor agentsOf(const torch::Tensor& query, const TokenGrid& grid) const;
  torch::Tensor convolve(const torch::Tensor& value, const TokenGrid& grid) const;

  int heads_;
  int agents_;
  int side_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
  Convolution convolution_{nullptr};
  torch::Tensor keyTable_;
  torch::Tensor keyRows_;
  torch::Tensor keyColumns_;
  torch::Tensor keyClass_;
  torch::Tensor queryTable_;
  torch::Tensor queryRows_;
  torch::Tensor queryColumns_;
  torch::Tensor queryClass_;
};

/// Softmax attention under the same names, used in later blocks of an Agent-DeiT.
class SoftmaxBlockAttentionImpl : public StageAttention {
 public:
  SoftmaxBlockAttentionImpl(const std::string& name, int channels, int heads,
                            bool queryKeyValueBias);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  int heads_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
};

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

constexpr PublishedLinearDeit publishedAgentDeits[] = {{"agent_deit_tiny_224", 192, 3, 224},
                                                       {"agent_deit_small_224", 384, 6, 224},
                                                       {"agent_deit_small_448", 384, 6, 448},
                                                       {"agent_deit_base_224", 768, 12, 224}};

/// Returns the name of a table of biases between agents and patches, by which files are recognised.
std::optional<std::string> agentMark(const StateDict& state) {
  return parameterOfBlocks(state, {".an_bias", ".na_bias"}, 4);
}

/// Returns the number of agents of a block; 0 for softmax.
int agentsOfBlock(const ShapeReader& shapes, int block) {
  const std::string attention = "blocks." + std::to_string(block) + ".attn.";
  auto agents = shapes.size({attention + "an_bias", attention + "na_bias"}, 1);
  if (!agents) agents = shapes.size({attention + "ah_bias", attention + "aw_bias"}, 2);
  return agents.value_or(0);
}

void requireSquareOfAgents(int agents) {
  if (agents == 0 || squareSide(agents) > 0) return;
  throw ModelError("this looks like Agent-DeiT, but its " + std::to_string(agents) +
                   " agents make no square; the file may be damaged");
}

std::vector<int> readAgents(const ShapeReader& shapes, int depth) {
  std::vector<int> agents;
  for (int block = 0; block < depth; ++block) {
    agents.push_back(agentsOfBlock(shapes, block));
    requireSquareOfAgents(agents.back());
  }
  return agents;
}

LinearDeitSizes readAgentSizes(const ShapeReader& shapes, const ModelHints& hints) {
  const auto side = sizeInBlocks(shapes, {"attn.ah_bias"}, 3);
  LinearDeitSizes sizes = readLinearDeitSizes(shapes, 1, side);
  sizes.heads =
      shapes.require(sizeInBlocks(shapes, {"attn.an_bias", "attn.na_bias"}, 0), "its heads");
  requireWholeHeads("Agent-DeiT", sizes.channels, sizes.heads, 1);
  requireHeadsOfWeights("Agent-DeiT", sizes.heads, hints);
  return sizes;
}

DefinedModel defineAgentDeit(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = agentMark(state)) requireNetworkForm("Agent", "DeiT", *mark);
  requireOnly("Agent-DeiT", "agent", hints);
  const ShapeReader shapes(state, "Agent-DeiT");
  const LinearDeitSizes sizes = readAgentSizes(shapes, hints);
  const std::vector<int> agents = readAgents(shapes, sizes.depth);
  ModelSummary summary = summaryOf(sizes, "agent_deit", "agent");
  summary.transform.extent = InputTransform::Extent::SqueezedCrop;
  summary.variant = linearDeitVariant(publishedAgentDeits, sizes);
  resolveUsualLayers("Agent-DeiT", linearDeitNormEpsilon, summary.isPublished(), hints, summary);
  summary.reason =
      "Names and shapes are those of Agent-DeiT: attn.an_bias is its alone, and tells heads and "
      "agents; blocks without it have softmax.";
  for (std::size_t block = 0; block < agents.size(); ++block) {
    if (agents[block] == 0) summary.layers[block].mechanism = "softmax";
  }
  const auto attention = [&](int block,
                             const std::string& name) -> std::shared_ptr<StageAttention> {
    const int count = agents[static_cast<std::size_t>(block)];
    if (count == 0) {
      return std::make_shared<SoftmaxBlockAttentionImpl>(name, sizes.channels, sizes.heads,
                                                         sizes.queryKeyValueBias);
    }
    return std::make_shared<AgentAttentionImpl>(
        AgentAttentionOptions{.name = name,
                              .channels = sizes.channels,
                              .heads = sizes.heads,
                              .agents = count,
                              .side = sizes.side,
                              .queryKeyValueBias = sizes.queryKeyValueBias});
  };
  return {std::move(summary), std::make_shared<ClassTokenNetwork>(sizes, attention)};
}

}  // namespace

Family agentDeitFamily() {
  return {.name = "agent_deit",
          .networks = "Agent-DeiT",
          .attention = "linear attention",
          .recognises = [](const StateDict& state) { return agentMark(state).has_value(); },
          .define = defineAgentDeit,
          .trainable = {}};
}

}  // namespace softscope
