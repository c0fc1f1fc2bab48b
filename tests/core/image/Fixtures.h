#pragma once

#include "core/image/Picture.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope::test {

using Bytes = std::vector<std::uint8_t>;

/// Returns the path of a file in tests/data/image.
std::string fixture(const std::string& name);

Bytes readFile(const std::string& path);
void writeFile(const std::string& path, const Bytes& bytes);

/// Returns the pixels that Pillow read or resized, an array of tests/data/image/decoded.npz.
Picture expectedPixels(const std::string& name);

/// Returns the largest difference between two pictures of the same size, in levels; 256 if the
/// sizes differ.
int largestDifference(const Picture& a, const Picture& b);

}  // namespace softscope::test
