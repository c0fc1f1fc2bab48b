#pragma once

#include "core/image/PictureReading.h"

#include <opencv2/core.hpp>

#include <cstdint>
#include <span>

namespace softscope {

/// Puts the samples' range in place of 0 to 255, and notes in `source` which it is.
void showRange(const SampleRange& range, std::span<std::uint8_t> levels, PictureSource& source);

/// 8-bit RGB from 16-bit grey, BGR, or either with alpha, and a note in `source` of the values that
/// were there and of those that became 0 and 255. The full range keeps the upper 8 bits. `rgb` has
/// room for all.
void showRange(const SampleRange& range, const cv::Mat& samples, std::span<std::uint8_t> rgb,
               PictureSource& source);

/// Divides the colours of 16-bit grey or BGR with alpha by it; samples without alpha stay.
void divideByAlpha(cv::Mat& samples);

/// 8-bit RGB from BGRA whose colours are multiplied by alpha.
void storeDividedByAlpha(const cv::Mat& bgra, std::uint8_t* rgb);

/// In place.
void exchangeRedAndBlue(cv::Mat& pixels);

}  // namespace softscope
