#pragma once

#include "core/Setting.h"
#include "core/attention/ShownMap.h"

#include <optional>
#include <string>
#include <tuple>

namespace softscope {

/// Selects the panels over all heads that follow the panels of single heads.
struct OverHeads {
  bool mean = true;
  bool largest = false;

  bool operator==(const OverHeads&) const = default;
};

/// The settings have no flags: on the command line --head asks for these panels.
inline constexpr std::tuple overHeadsSettings{
    FlagSetting<OverHeads>{
        {.key = "mean", .label = "Mean of heads", .tip = "Add a panel with the mean over heads"},
        &OverHeads::mean},
    FlagSetting<OverHeads>{{.key = "largest",
                            .label = "Largest of heads",
                            .tip = "Add a panel with each patch's value of the head whose "
                                   "magnitude is largest there"},
                           &OverHeads::largest}};

/// Selects the channel that is shown of layers whose channels have matrices of their own.
struct ChannelSettings {
  static constexpr int mean = -1;
  /// Counted from 0, or `mean`: the mean over channels.
  int channel = mean;

  std::optional<int> chosen() const {
    return channel == mean ? std::nullopt : std::optional(channel);
  }
  bool operator==(const ChannelSettings&) const = default;
};

inline constexpr int mostChannels = 1 << 20;

inline constexpr std::tuple channelSettings{NumberSetting<ChannelSettings, int>{
    {.key = "channel",
     .flag = "--channel",
     .type = "N",
     .help = "Channel, counted from 0, whose own matrix is shown, instead of the mean over "
             "channels, of layers whose channels have matrices of their own",
     .label = "Channel",
     .tip = "Channel whose own matrix is shown, where every channel has one"},
    &ChannelSettings::channel,
    ChannelSettings::mean,
    mostChannels,
    0,
    "",
    "Mean"}};

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
