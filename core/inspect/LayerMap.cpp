#include "core/inspect/LayerMap.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/attention/SumMap.h"

namespace softscope {

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

std::string withoutConvolution(const LayerInspection& layer) {
  const AttentionDescription& attention = layer.attention->description();
  if (attention.filtersChannels) {
    return "beside " + attention.mechanism + " attention stands " + besideText(attention) +
           ", so that no one matrix of a head acts on V and there is no effective map; Share says "
           "how much it adds";
  }
  if (!attention.beside.empty()) {
    return "beside " + attention.mechanism + " attention stands " + attention.beside +
           ", so that there is no effective map; where the weights are here, Share says how much "
           "the "
           "attention adds";
  }
  return "no convolution of V stands beside " + attention.mechanism +
         " attention, so that there is no effective map; choose a layer of SOFT or SOFT++";
}

std::string withoutMap(const LayerInspection& layer, ShownMap map) {
  if (map == ShownMap::GradientProduct) {
    return layer.gradientObstacle.empty() ? "no gradient of a class was computed"
                                          : layer.gradientObstacle;
  }
  if (map != ShownMap::Kernel) return withoutConvolution(layer);
  return "no landmarks stand for an exact kernel in " + layer.attention->description().mechanism +
         " attention; choose a layer of " + mechanismsWithBottleneck();
}

}  // namespace softscope
