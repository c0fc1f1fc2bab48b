#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// What wrappers put before names: `module.` and its like before all of them, `backbone.` before
/// the network's own, unless that is part of the names as EfficientViT's authors publish them.
/// Empty where nothing wraps them.
std::string wrapperPrefix(std::vector<std::string_view> names);

/// What stands before the names of an average of the weights, `ema_model.`, in a state dict that
/// holds these, too, under `model.`; empty where it holds but one copy.
std::string averagePrefix(const std::vector<std::string_view>& names);

/// Beginnings of names that may be what a trainer of one's own puts before a network's, the one
/// that most names share first.
std::vector<std::string> possiblePrefixes(const std::vector<std::string_view>& names);

}  // namespace softscope
