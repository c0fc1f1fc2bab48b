#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>

namespace softscope {

// Values in files that describe how pictures are prepared. Nothing is returned for what is there
// and cannot be read, which readers must name.

/// Returns true or false, which Python's programs also write as 1 and 0.
std::optional<bool> truthIn(const nlohmann::json& value);
/// Returns a side in pixels, if a picture can be brought to that size.
std::optional<int> sideIn(const nlohmann::json& value);
/// Returns the number in [0, 1] under a key that is a fraction of a picture, above 0.
std::optional<double> fractionIn(const nlohmann::json& root, const char* key);
/// Returns one number for each channel: a list of three, or one for all.
std::optional<std::array<float, 3>> channelsIn(const nlohmann::json& root, const char* key);

/// Returns any value as JSON in ASCII for a message; a long one loses its end.
std::string shortenedJson(const nlohmann::json& value);

}  // namespace softscope
