#include "core/inspect/ChannelView.h"

#include "core/attention/ProductMap.h"

#include <algorithm>

namespace softscope {

namespace {

const ChannelMeanMap* channelMaps(const LayerInspection& layer) {
  const auto* maps = dynamic_cast<const ChannelMeanMap*>(layer.attention.get());
  return maps != nullptr && maps->channels() > 1 ? maps : nullptr;
}

}  // namespace

int channelsOf(const LayerInspection& layer) {
  if (const auto& shown = layer.attention->description().channel) return shown->of;
  const ChannelMeanMap* maps = channelMaps(layer);
  return maps == nullptr ? 0 : maps->channels();
}

std::shared_ptr<const Inspection> atChannel(const std::shared_ptr<const Inspection>& inspection,
                                            std::optional<int> channel) {
  if (!inspection || !channel) return inspection;
  const auto has = [&](const LayerInspection& layer) {
    const ChannelMeanMap* maps = channelMaps(layer);
    return maps != nullptr && *channel < maps->channels();
  };
  if (std::ranges::none_of(inspection->layers, has)) return inspection;
  auto shown = std::make_shared<Inspection>(*inspection);
  for (LayerInspection& layer : shown->layers) {
    if (!has(layer)) continue;
    layer.attention = channelMaps(layer)->ofChannel(*channel);
    layer.gradientProduct.reset();
    layer.gradientObstacle =
        "the gradient is that of the mean over channels, and one of them is shown; show their mean";
  }
  return shown;
}

std::string channelNote(const Inspection& inspection) {
  std::optional<int> channel;
  bool lacksSome = false;
  for (const LayerInspection& layer : inspection.layers) {
    const AttentionDescription& attention = layer.attention->description();
    if (attention.channel) channel = attention.channel->index;
    lacksSome = lacksSome || attention.meanOfChannels > 0;
  }
  if (!channel) return {};
  return "channel " + std::to_string(*channel) +
         (lacksSome ? ", the mean in layers with fewer" : "");
}

}  // namespace softscope
