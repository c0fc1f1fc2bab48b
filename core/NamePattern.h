#pragma once

#include <string>

namespace softscope {

/// Whether the name of a layer or a parameter matches a shell pattern: `*`, `?` and `[...]`; a `*`
/// reaches across dots.
bool matchesPattern(const std::string& name, const std::string& pattern);

/// Whether it has any of them, rather than being a name.
bool isPattern(const std::string& text);

}  // namespace softscope
