#pragma once

#include "core/Setting.h"
#include "core/attention/ShownMap.h"

#include <string>
#include <tuple>

namespace softscope {

/// Selects which of a layer's matrices is shown.
struct MapSettings {
  ShownMap map = ShownMap::Attention;

  bool operator==(const MapSettings&) const = default;
};

/// A map that cannot be shown, and why.
struct MissingMap {
  ShownMap map;
  std::string reason;
};

inline constexpr ChoiceName<ShownMap> shownMapNames[] = {
    {ShownMap::Attention, "attention", "Attention map"},
    {ShownMap::Convolution, "convolution", "Convolution"},
    {ShownMap::Effective, "effective", "Effective map"},
    {ShownMap::Kernel, "kernel", "Exact kernel"},
    {ShownMap::GradientProduct, "gradient", "Attention × gradient"}};

inline constexpr ChoiceSetting<MapSettings, ShownMap> mapSetting{
    {.key = "map",
     .flag = "--map",
     .type = "attention|convolution|effective|kernel|gradient",
     .help = "What multiplies V: the attention S, SOFT's convolution of V beside it, or S plus the "
             "convolution, which is all that the layer makes of V; or the exact kernel of its "
             "queries and keys, which landmarks stand for and no network computes; or the "
             "attention times the gradient of a class's logit, entry by entry",
     .label = "Map",
     .tip = "What multiplies V: the attention, the convolution of V beside it, or their sum, the "
            "effective map; the exact kernel, which landmarks stand for; or the attention times "
            "the gradient of a class"},
    &MapSettings::map,
    shownMapNames};

inline constexpr std::tuple mapSettings{mapSetting};

}  // namespace softscope
