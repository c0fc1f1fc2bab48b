#pragma once

#include "core/model/ModelRequest.h"

#include <string>
#include <vector>

namespace softscope {

/// A textual option of a file for a property of its network that weights do not determine. Heads,
/// which are numbers, have members of their own.
struct SettingOption {
  const char* name;  ///< name without dashes, as in workspaces and in metadata: `activation`
  std::optional<std::string> ModelRequest::*value;
  const char* type;  ///< the values it takes: `cls|mean`
  const char* description;
  /// Returns true if the option can have this value.
  bool (*accepts)(const std::string& text);
};

/// Returns `activation`, `epsilon`, `norm`, `pooling`, `mean`, `std` and the settings of networks
/// that are read by structure.
const std::vector<SettingOption>& settingOptions();
/// Returns the option with this name, or null.
const SettingOption* findSettingOption(const std::string& name);

/// Says what the option takes: `pre, post or none`, `a whole number from 0 to 64`.
std::string takenText(const SettingOption& option);

/// Sets what an option says of a model, given as text: `heads`, `attention`, `landmarks` (how many
/// were trained) or one of settingOptions(). An option with another name changes nothing.
void setOption(ModelRequest& request, const std::string& option, const std::string& value);

/// A distance in pixels along a picture's height and along its width.
struct PixelStride {
  int down = 0;
  int across = 0;
};

/// Parses a stride, `4` or `4x6` (down x across), from 1 to 1024; returns nothing for other texts.
std::optional<PixelStride> parseStride(const std::string& text);

/// Parses an epsilon of a norm, at least 0 and below 1; returns nothing for any other text.
std::optional<double> parseEpsilon(const std::string& text);

}  // namespace softscope
