#pragma once

#include <string>

namespace softscope {

/// Returns true if the name of a layer or a parameter matches a shell pattern of `*`, `?` and
/// `[...]`. A `*` also matches dots.
bool matchesPattern(const std::string& name, const std::string& pattern);

/// Returns true if `text` selects the layer: as its whole name, as a pattern that matches it, or as
/// its beginning up to a dot, as the window's tree shows it (`block3.0` for
/// `block3.0.att.mha.attn`).
bool meansLayer(const std::string& text, const std::string& layer);

/// Returns true if `text` contains a wildcard, so that it is a pattern rather than a name.
bool isPattern(const std::string& text);

}  // namespace softscope
