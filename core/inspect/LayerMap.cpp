#include "core/inspect/LayerMap.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/attention/ProductMap.h"
#include "core/attention/SumMap.h"

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

bool hasMap(const LayerInspection& layer, ShownMap map) {
  if (map == ShownMap::Kernel) return layer.exactKernel != nullptr;
  if (map == ShownMap::GradientProduct) return layer.gradientProduct != nullptr;
  return map == ShownMap::Attention || layer.convolution;
}

std::shared_ptr<const AttentionMap> mapOf(const LayerInspection& layer, ShownMap map) {
  if (!hasMap(layer, map)) throw InspectionError(withoutMap(layer, map));
  switch (map) {
    case ShownMap::Convolution:
      return layer.convolution;
    case ShownMap::Effective:
      return std::make_shared<SumMap>(layer.attention, layer.convolution);
    case ShownMap::Kernel:
      return layer.exactKernel;
    case ShownMap::GradientProduct:
      return layer.gradientProduct;
    case ShownMap::Attention:
      break;
  }
  return layer.attention;
}

ShownMap availableMap(const LayerInspection& layer, ShownMap wanted) {
  return hasMap(layer, wanted) ? wanted : ShownMap::Attention;
}

std::string withoutConvolution(const LayerInspection& layer, ShownMap asked) {
  const AttentionDescription& attention = layer.attention->description();
  const std::string missing =
      asked == ShownMap::Convolution ? "no matrix of a convolution" : "no effective map";
  if (attention.filtersChannels) {
    return "beside " + attention.mechanism + " attention stands " + besideText(attention) +
           ", so that no one matrix of a head acts on V and there is " + missing +
           "; Share says how much it adds";
  }
  if (!attention.beside.empty()) {
    return "beside " + attention.mechanism + " attention stands " + attention.beside +
           ", so that there is " + missing +
           "; where the weights are here, Share says how much "
           "the attention adds";
  }
  return "no convolution of V stands beside " + attention.mechanism +
         " attention, so that there is " + missing + "; choose a layer of SOFT or SOFT++";
}

std::string withoutMap(const LayerInspection& layer, ShownMap map) {
  if (map == ShownMap::GradientProduct) {
    return layer.gradientObstacle.empty() ? "no gradient of a class was computed"
                                          : layer.gradientObstacle;
  }
  if (map != ShownMap::Kernel) return withoutConvolution(layer, map);
  return "no landmarks stand for an exact kernel in " + layer.attention->description().mechanism +
         " attention; choose a layer of " + mechanismsWithBottleneck();
}

}  // namespace softscope
