#include "models/vit/VitModel.h"

#include "core/Error.h"
#include "models/identify/ResolvedHeads.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitNetwork.h"
#include "models/vit/VitSettings.h"

#include <memory>
#include <utility>

namespace softscope {

DefinedModel defineVit(VitConfiguration configuration, const VitIdentity& identity,
                       const ModelHints& hints) {
  if (hints.attention && *hints.attention != "softmax") {
    throw ModelError("the weights of a " + identity.network +
                     " allow no other --attention than "
                     "softmax");
  }
  const std::vector<NetworkSetting> settings = settleVit(configuration, hints);
  const ResolvedHeads heads = resolveHeads(
      configuration.channels, defaultVitHeads(configuration, identity.network, hints), hints);
  configuration.heads = heads.heads;

  ModelSummary summary;
  summary.family = identity.family;
  summary.variant = identity.variant;
  summary.mechanism = "softmax";
  summary.alternatives = {"softmax"};
  summary.mechanismConfidence = 1;
  summary.reason = "Names and shapes are those of " + identity.network + ".";
  describeHeads(heads, summary);
  describeSettings(settings, summary);
  summary.heads = {configuration.heads};
  summary.channels = configuration.channels;
  summary.classes = configuration.classes;
  summary.transform = identity.transform;
  for (const std::string& block : configuration.names.blocks) {
    summary.layers.push_back({.name = block + "." + configuration.names.block.attention,
                              .mechanism = "softmax",
                              .stage = 1,
                              .heads = configuration.heads});
  }
  DefinedModel model{std::move(summary), std::make_shared<VitNetwork>(configuration)};
  model.pixelNorms = identity.pixelNorms;
  model.publishedAs = publishedVitName(configuration);
  return model;
}

void inputSizeOfPositions(int positions, int patch, InputTransform& transform) {
  int rows = 1;
  for (int candidate = 1; candidate * candidate <= positions; ++candidate) {
    if (positions % candidate == 0) rows = candidate;
  }
  transform.height = rows * patch;
  transform.width = positions / rows * patch;
}

}  // namespace softscope
