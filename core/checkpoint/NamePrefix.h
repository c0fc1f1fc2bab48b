#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// Returns the prefix that wrappers put before names: `module.` and the like before all of them, or
/// `backbone.` before the network's own, unless that is part of the names, as in the files of
/// EfficientViT's authors. Empty if nothing wraps the names.
std::string wrapperPrefix(std::vector<std::string_view> names);

/// Returns the prefix of the averaged weights (`ema_model.`) in a state dict that also holds the
/// weights themselves under `model.`; empty if it holds only one copy.
std::string averagePrefix(const std::vector<std::string_view>& names);

/// Returns possible prefixes that a custom trainer may have put before a network's names; the one
/// that most names share comes first.
std::vector<std::string> possiblePrefixes(const std::vector<std::string_view>& names);

}  // namespace softscope
