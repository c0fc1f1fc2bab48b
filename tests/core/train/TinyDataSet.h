#pragma once

#include "core/image/Picture.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope::test {

/// Returns a picture of noise about a colour, the same for the same seed.
Picture noisyPicture(int width, int height, std::uint64_t seed, int red, int green, int blue);

/// Writes a picture as an uncompressed .bmp.
void writePicture(const std::string& path, const Picture& picture);

/// Writes FOLDER/SPLIT/CLASS/N.bmp: `count` pictures of side x side for each class, and each class
/// in a different colour.
void writeSplit(const std::string& folder, const std::string& split,
                const std::vector<std::string>& classes, int count, int side);

}  // namespace softscope::test
