#pragma once

#include <string>

namespace softscope {

/// Whether a layer's name matches a shell pattern: `*`, `?` and `[...]`.
bool matchesPattern(const std::string& name, const std::string& pattern);

/// Whether it has any of them, rather than being a name.
bool isPattern(const std::string& text);

}  // namespace softscope
