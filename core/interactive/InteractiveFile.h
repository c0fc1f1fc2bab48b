#pragma once

#include "core/Error.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace softscope {

/// Thrown for an interactive page that would be larger than interactiveLimit.
class InteractiveSizeError : public Error {
 public:
  using Error::Error;
};

/// The largest size of an interactive page, in bytes.
inline constexpr std::size_t interactiveLimit = 10'000'000;

/// Returns the text of an interactive page, one .html file: the style, the scripts and the page of
/// resources/interactive with `data`, which the scripts read. The file's policy allows nothing but
/// these styles and scripts, by their checksums, and pictures within the file; names in the data
/// cannot end the element that holds them. Throws InteractiveSizeError.
std::string interactiveText(const nlohmann::ordered_json& data);

/// Returns how many bytes are left for the maps of an interactive page with such other data.
std::size_t roomForMaps(const nlohmann::ordered_json& otherData);

/// Returns a size such as `2.1 MB`.
std::string megabytesText(std::size_t bytes);

/// Throws FileError unless the path of an interactive page ends in .html or .htm.
void checkInteractivePath(const std::string& path);

}  // namespace softscope
