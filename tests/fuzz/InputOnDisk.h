#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace softscope::fuzz {

/// Writes the input to a file of this process whose name ends in `ending`; each input replaces the
/// previous one. Returns the file's path.
std::string onDisk(const std::uint8_t* data, std::size_t size, const std::string& ending);

}  // namespace softscope::fuzz
