#pragma once

#include <string>

namespace softscope {

/// Whether the name of a layer or a parameter matches a shell pattern: `*`, `?` and `[...]`; a `*`
/// reaches across dots.
bool matchesPattern(const std::string& name, const std::string& pattern);

/// Whether `text` means a layer of that name: all of it, a pattern of it, or its beginning up to a
/// dot, as the window's tree writes it (`block3.0` of `block3.0.att.mha.attn`).
bool meansLayer(const std::string& text, const std::string& layer);

/// Whether it has any of them, rather than being a name.
bool isPattern(const std::string& text);

}  // namespace softscope
