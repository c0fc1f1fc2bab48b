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

}  // namespace softscope
