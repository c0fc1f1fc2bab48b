#include "core/image/SampleDepth.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace softscope {
namespace {

struct Ends {
  int low = 0;
  int high = 0;
};

/// Returns the values that become black and white, given the smallest and the largest sample.
Ends shownEnds(const SampleRange& range, const Ends& found, int most) {
  switch (range.kind) {
    case SampleRange::Kind::Full:
      break;
    case SampleRange::Kind::Auto:
      return found;
    case SampleRange::Kind::Between:
      return {range.low, range.high};
  }
  return {0, most};
}

/// Returns the level, 0 to 255, of each sample value up to `most`.
std::vector<std::uint8_t> levelsBetween(const Ends& ends, int most) {
  std::vector<std::uint8_t> levels(static_cast<std::size_t>(most) + 1);
  // Differs by up to half a level from the upper byte, which other readers take.
  const bool upperByte = ends.low == 0 && ends.high == most && most == 65'535;
  const double width = std::max(1, ends.high - ends.low);
  for (int value = 0; value <= most; ++value) {
    const double level = 255.0 * (value - ends.low) / width;
    levels[static_cast<std::size_t>(value)] =
        upperByte ? static_cast<std::uint8_t>(value >> 8)
                  : static_cast<std::uint8_t>(std::lround(std::clamp(level, 0.0, 255.0)));
  }
  return levels;
}

void noteEnds(const Ends& found, const Ends& shown, PictureSource& source) {
  source.lowest = found.low;
  source.highest = found.high;
  source.black = shown.low;
  source.white = shown.high;
}

/// Returns the number of colour channels: one for grey, three for BGR.
int colorChannels(const cv::Mat& samples) {
  return samples.channels() <= 2 ? 1 : 3;
}

Ends endsOf(const cv::Mat& samples) {
  const int channels = samples.channels();
  const int colors = colorChannels(samples);
  std::uint16_t low = 65'535;
  std::uint16_t high = 0;
  for (int y = 0; y < samples.rows; ++y) {
    const auto* row = samples.ptr<std::uint16_t>(y);
    for (int x = 0; x < samples.cols; ++x, row += channels) {
      for (int c = 0; c < colors; ++c) {
        low = std::min(low, row[c]);
        high = std::max(high, row[c]);
      }
    }
  }
  return {low, high};
}

}  // namespace

void showRange(const SampleRange& range, std::span<std::uint8_t> levels, PictureSource& source) {
  if (levels.empty()) return;
  const auto [low, high] = std::ranges::minmax(levels);
  const Ends found{low, high};
  const Ends shown = shownEnds(range, found, 255);
  const std::vector<std::uint8_t> table = levelsBetween(shown, 255);
  for (std::uint8_t& level : levels) level = table[level];
  noteEnds(found, shown, source);
}

void showRange(const SampleRange& range, const cv::Mat& samples, std::span<std::uint8_t> rgb,
               PictureSource& source) {
  const Ends found = endsOf(samples);
  const Ends shown = shownEnds(range, found, 65'535);
  const std::vector<std::uint8_t> table = levelsBetween(shown, 65'535);
  const int channels = samples.channels();
  const bool grey = colorChannels(samples) == 1;
  std::uint8_t* to = rgb.data();
  for (int y = 0; y < samples.rows; ++y) {
    const auto* row = samples.ptr<std::uint16_t>(y);
    for (int x = 0; x < samples.cols; ++x, row += channels, to += 3) {
      to[0] = table[row[grey ? 0 : 2]];
      to[1] = table[row[grey ? 0 : 1]];
      to[2] = table[row[0]];
    }
  }
  noteEnds(found, shown, source);
}

void divideByAlpha(cv::Mat& samples) {
  const int channels = samples.channels();
  const int colors = colorChannels(samples);
  if (channels == colors) return;
  for (int y = 0; y < samples.rows; ++y) {
    auto* row = samples.ptr<std::uint16_t>(y);
    for (int x = 0; x < samples.cols; ++x, row += channels) {
      const std::uint32_t alpha = row[colors];
      if (alpha == 0) continue;
      for (int c = 0; c < colors; ++c) {
        row[c] = static_cast<std::uint16_t>(std::min(row[c] * 65'535u / alpha, 65'535u));
      }
    }
  }
}

void storeDividedByAlpha(const cv::Mat& bgra, std::uint8_t* rgb) {
  for (int y = 0; y < bgra.rows; ++y) {
    const std::uint8_t* from = bgra.ptr(y);
    for (int x = 0; x < bgra.cols; ++x, from += 4, rgb += 3) {
      const int alpha = from[3];
      for (int c = 0; c < 3; ++c) {
        const int value = alpha == 0 || alpha == 255 ? from[c] : from[c] * 255 / alpha;
        rgb[2 - c] = static_cast<std::uint8_t>(std::min(value, 255));
      }
    }
  }
}

void exchangeRedAndBlue(cv::Mat& pixels) {
  // In bands, because the in-place conversion copies its input.
  constexpr int band = 64;
  for (int row = 0; row < pixels.rows; row += band) {
    cv::Mat rows = pixels.rowRange(row, std::min(row + band, pixels.rows));
    cv::cvtColor(rows, rows, cv::COLOR_BGR2RGB);
  }
}

}  // namespace softscope
