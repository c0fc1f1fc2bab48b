#pragma once

#include "core/Setting.h"

#include <optional>
#include <tuple>

namespace softscope {

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

}  // namespace softscope
