#pragma once

#include "core/checkpoint/StateDict.h"

#include <optional>
#include <string>
#include <string_view>

namespace softscope {

/// Returns the text before `part` in the first name that contains it; nothing if none does.
std::optional<std::string> textBefore(const StateDict& state, std::string_view part);

/// Returns true if any name contains `part`.
bool anyContains(const StateDict& state, std::string_view part);

/// Renames `head.1.weight` to `head.weight`, which families know, if a Linear is the only part of a
/// sequence `head` with parameters, for example after a dropout. Otherwise returns the tensors
/// unchanged.
StateDict withPlainHead(const StateDict& state);

/// Returns true if `head` is MoCo v3's projection, which ends with a batch norm, rather than a
/// classifier.
bool hasProjectionHead(const StateDict& state);

}  // namespace softscope
