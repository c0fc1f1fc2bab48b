#include "models/lineardeit/Agent.h"

#include "core/Error.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/lineardeit/AgentAttention.h"
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
  const long side = std::lround(std::sqrt(static_cast<double>(agents)));
  if (side * side == agents) return;
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
  if (hints.attention) requireAllowed("Agent-DeiT", {"agent"}, *hints.attention);
  const ShapeReader shapes(state, "Agent-DeiT");
  const LinearDeitSizes sizes = readAgentSizes(shapes, hints);
  const std::vector<int> agents = readAgents(shapes, sizes.depth);
  ModelSummary summary = summaryOf(sizes, "agent_deit", "agent");
  summary.transform.extent = InputTransform::Extent::SqueezedCrop;
  summary.variant = linearDeitVariant(publishedAgentDeits, sizes);
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
          .recognises = [](const StateDict& state) { return agentMark(state).has_value(); },
          .define = defineAgentDeit,
          .trainable = {}};
}

}  // namespace softscope
