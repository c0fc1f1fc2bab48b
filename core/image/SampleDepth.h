#pragma once

#include "core/image/PictureReading.h"

#include <opencv2/core.hpp>

#include <cstdint>
#include <span>

namespace softscope {

/// Stretches the levels from the range to 0 to 255, and records the range in `source`.
void showRange(const SampleRange& range, std::span<std::uint8_t> levels, PictureSource& source);

/// Converts 16-bit grey or BGR, with or without alpha, to 8-bit RGB in `rgb`, which must have room
/// for all pixels. Records in `source` the smallest and largest value, and the values that became 0
/// and 255. The full range keeps the upper 8 bits.
void showRange(const SampleRange& range, const cv::Mat& samples, std::span<std::uint8_t> rgb,
               PictureSource& source);

/// Divides the colours of 16-bit grey or BGR by their alpha; samples without alpha stay unchanged.
void divideByAlpha(cv::Mat& samples);

/// Converts BGRA whose colours are multiplied by alpha to 8-bit RGB.
void storeDividedByAlpha(const cv::Mat& bgra, std::uint8_t* rgb);

/// Swaps the red and blue channels in place.
void exchangeRedAndBlue(cv::Mat& pixels);

}  // namespace softscope
