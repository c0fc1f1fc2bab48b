#pragma once

#include <opencv2/core.hpp>

#include <cstdint>
#include <span>

namespace softscope {

/// The orientation, 1 to 8, that an EXIF block (a TIFF directory, with or without "Exif\0\0" in
/// front) gives the picture; 1 where it gives none or cannot be read.
int exifOrientation(std::span<const std::uint8_t> block);

/// The picture as it is meant to be seen, from the picture as it is stored.
cv::Mat turnUpright(const cv::Mat& stored, int orientation);

}  // namespace softscope
