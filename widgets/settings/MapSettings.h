#pragma once

#include "core/Setting.h"
#include "core/attention/ShownMap.h"

#include <tuple>

namespace softscope {

/// Selects which of a layer's matrices is shown.
struct MapSettings {
  ShownMap map = ShownMap::Attention;

  bool operator==(const MapSettings&) const = default;
};

inline constexpr ChoiceName<ShownMap> shownMapNames[] = {
    {ShownMap::Attention, "attention", "Attention map"},
    {ShownMap::Convolution, "convolution", "Convolution"},
    {ShownMap::Effective, "effective", "Effective map"},
    {ShownMap::Kernel, "kernel", "Exact kernel"}};

inline constexpr ChoiceSetting<MapSettings, ShownMap> mapSetting{
    {.key = "map",
     .flag = "--map",
     .type = "attention|convolution|effective|kernel",
     .help = "What multiplies V: the attention S, SOFT's convolution of V beside it, or S plus the "
             "convolution, which is all that the layer makes of V; or the exact kernel of its "
             "queries and keys, which landmarks stand for and no network computes",
     .label = "Map",
     .tip = "What multiplies V: the attention, the convolution of V beside it, or their sum, the "
            "effective map; or the exact kernel, which landmarks stand for"},
    &MapSettings::map,
    shownMapNames};

inline constexpr std::tuple mapSettings{mapSetting};

}  // namespace softscope
