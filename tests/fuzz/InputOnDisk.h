#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace softscope::fuzz {

/// A file of this process that holds the input, with a name that ends in `ending`; each input takes
/// the place of the one before. Returns its path.
std::string onDisk(const std::uint8_t* data, std::size_t size, const std::string& ending);

}  // namespace softscope::fuzz
