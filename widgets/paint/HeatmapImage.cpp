#include "widgets/paint/HeatmapImage.h"

#include "core/ParallelWork.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace softscope {
namespace {

/// A colour map already weighted by the opacity, plus an entry that lets the picture show through.
class Palette {
 public:
  static constexpr int missing = 256;

  Palette(const ColorMap& map, double opacity, bool fades) {
    for (int i = 0; i < 256; ++i) {
      const double own = fades ? opacity * strength(map, i / 255.0) : opacity;
      weight_[i] = static_cast<int>(std::lround(256 * (1 - own)));
      for (int channel = 0; channel < 3; ++channel) {
        color_[i][channel] = static_cast<int>(std::lround(256 * own * map.colors[i][channel]));
      }
    }
    weight_[missing] = 256;
    color_[missing] = {0, 0, 0};
  }

  /// Returns the entry for `fraction`, the nearest one to those outside [0, 1]; not finite is
  /// missing.
  static int index(float fraction) {
    if (!std::isfinite(fraction)) return missing;
    // Values far outside the range are clamped before they become integers, which would overflow.
    return static_cast<int>(std::clamp(fraction, 0.0f, 1.0f) * 255 + 0.5f);
  }

  QRgb over(int index, int grey) const {
    const int under = grey * weight_[index] + 128;
    return qRgb((color_[index][0] + under) >> 8, (color_[index][1] + under) >> 8,
                (color_[index][2] + under) >> 8);
  }

 private:
  /// Returns how large a value is, in [0, 1], at `fraction` of its range; zero is in the middle of
  /// a diverging map.
  static double strength(const ColorMap& map, double fraction) {
    return map.diverging ? std::abs(2 * fraction - 1) : fraction;
  }

  std::array<int, 257> weight_{};
  std::array<std::array<int, 3>, 257> color_{};
};

/// The two grid cells that a pixel lies between, and its position from the first to the second.
struct Sample {
  int first = 0;
  int second = 0;
  float weight = 0;
};

/// Returns one sample per pixel; `from` and `to` bound the part shown, in fractions of the grid.
std::vector<Sample> samplesAlong(int pixels, int cells, bool smooth, double from, double to) {
  std::vector<Sample> samples(static_cast<std::size_t>(pixels));
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const double place = cells * (from + (to - from) * (pixel + 0.5) / pixels);
    Sample& sample = samples[static_cast<std::size_t>(pixel)];
    if (smooth) {
      const double between = std::clamp(place - 0.5, 0.0, cells - 1.0);
      sample.first = static_cast<int>(between);
      sample.second = std::min(sample.first + 1, cells - 1);
      sample.weight = static_cast<float>(between - sample.first);
    } else {
      sample.first = sample.second = std::clamp(static_cast<int>(place), 0, cells - 1);
    }
  }
  return samples;
}

/// Interpolates between two values; takes the nearer one if one of them is missing.
float between(float first, float second, float weight) {
  const float value = first + weight * (second - first);
  if (std::isfinite(value)) return value;
  return weight < 0.5f ? first : second;
}

/// Computes where values lie in their range at each column of pixels, one row of the grid at a
/// time, in the order in which rows of pixels need them.
class SpreadRows {
 public:
  SpreadRows(const AttentionValues& values, const ValueRange& range, bool absolute,
             const std::vector<Sample>& columns)
      : values_(values), range_(range), absolute_(absolute), columns_(columns) {
    fractions_.resize(static_cast<std::size_t>(values.grid.width));
    for (Row& row : kept_) row.spread.resize(columns.size());
  }

  /// Returns a fraction for each column of pixels. It stays valid until a row other than this one
  /// or its neighbours is requested.
  const float* at(int row) {
    Row& kept = kept_[row % 2];
    if (kept.row != row) spread(row, kept);
    return kept.spread.data();
  }

 private:
  struct Row {
    int row = -1;
    std::vector<float> spread;
  };

  void spread(int row, Row& kept) {
    constexpr float missing = std::numeric_limits<float>::quiet_NaN();
    const int width = values_.grid.width;
    const float* from = values_.patches.data() + std::ptrdiff_t{row} * width;
    for (int i = 0; i < width; ++i) {
      fractions_[static_cast<std::size_t>(i)] =
          values_.isOutside(row, i) ? missing
                                    : range_.fraction(absolute_ ? std::abs(from[i]) : from[i]);
    }
    const float* fractions = fractions_.data();
    float* to = kept.spread.data();
    for (const Sample& sample : columns_) {
      *to++ = between(fractions[sample.first], fractions[sample.second], sample.weight);
    }
    kept.row = row;
  }

  const AttentionValues& values_;
  const ValueRange& range_;
  bool absolute_;
  const std::vector<Sample>& columns_;
  std::vector<float> fractions_;
  /// Two rows suffice, because a pixel lies between a row and the next one.
  std::array<Row, 2> kept_;
};

using PatchColor = Eigen::RowVector3f;

/// Interpolates the colour of a pixel between four patches; takes the nearest patch's if any of the
/// four has no colour.
PatchColor sampledColor(const Matrix& colors, const TokenGrid& grid, const Sample& row,
                        const Sample& column) {
  const auto at = [&](int y, int x) -> PatchColor { return colors.row(y * grid.width + x); };
  const auto mixed = [](const PatchColor& a, const PatchColor& b, float weight) -> PatchColor {
    return a + weight * (b - a);
  };
  const PatchColor top =
      mixed(at(row.first, column.first), at(row.first, column.second), column.weight);
  const PatchColor bottom =
      mixed(at(row.second, column.first), at(row.second, column.second), column.weight);
  const PatchColor color = mixed(top, bottom, row.weight);
  if (color.allFinite()) return color;
  return at(row.weight < 0.5f ? row.first : row.second,
            column.weight < 0.5f ? column.first : column.second);
}

QRgb colorOver(const PatchColor& color, double opacity, int grey) {
  if (!color.allFinite()) return qRgb(grey, grey, grey);
  const auto level = [&](float value) {
    const double over = 255 * std::clamp(static_cast<double>(value), 0.0, 1.0);
    return static_cast<int>(std::lround(opacity * over + (1 - opacity) * grey));
  };
  return qRgb(level(color[0]), level(color[1]), level(color[2]));
}

}  // namespace

HeatmapStyle heatmapStyle(const ViewSettings& view, const ValueRange& range) {
  const ColorMap& colors = colorMap(range.centred ? view.divergingColorMap : view.colorMap);
  return {&colors, view.smooth, view.absolute, view.opacity, view.fades};
}

QImage heatmapImage(const AttentionValues& values, const ValueRange& range,
                    const HeatmapStyle& style, QSize pixels, const QImage& under,
                    const QRectF& visible) {
  if (pixels.isEmpty() || values.grid.count() == 0) return {};
  const bool alone = under.isNull();
  const Palette palette(*style.colors, alone ? 1 : style.opacity, style.fades && !alone);
  const auto columns = samplesAlong(pixels.width(), values.grid.width, style.smooth, visible.left(),
                                    visible.right());
  const auto rows = samplesAlong(pixels.height(), values.grid.height, style.smooth, visible.top(),
                                 visible.bottom());

  QImage image(pixels, QImage::Format_RGB32);
  uchar* const lines = image.bits();
  const auto paintRows = [&](int from, int to) {
    SpreadRows spread(values, range, style.absolute, columns);
    for (int y = from; y < to; ++y) {
      const Sample& sample = rows[static_cast<std::size_t>(y)];
      const float* first = spread.at(sample.first);
      const float* second = spread.at(sample.second);
      const uchar* grey = alone ? nullptr : under.constScanLine(y);
      auto* line = reinterpret_cast<QRgb*>(lines + y * image.bytesPerLine());
      for (int x = 0; x < pixels.width(); ++x) {
        const float fraction = between(first[x], second[x], sample.weight);
        line[x] = palette.over(Palette::index(fraction), grey ? grey[x] : 255);
      }
    }
  };
  // A colour takes as long as many values that are only read. Every strip spreads its first rows
  // anew, which would be felt where the rows of the grid are few.
  constexpr std::int64_t valuesPerColor = 8;
  constexpr int rowsPerStrip = 32;
  const int strips = std::clamp(values.grid.height / rowsPerStrip, 1, 8);
  const auto begin = [&](std::int64_t strip) {
    return static_cast<int>(pixels.height() * strip / strips);
  };
  shareWork(strips,
            valuesPerColor * std::max(values.grid.count(), pixels.width() * pixels.height()),
            [&](std::int64_t strip) { paintRows(begin(strip), begin(strip + 1)); });
  return image;
}

QImage colorsImage(const Matrix& colors, const TokenGrid& grid, const HeatmapStyle& style,
                   QSize pixels, const QImage& under, const QRectF& visible) {
  if (pixels.isEmpty() || grid.count() == 0) return {};
  const bool alone = under.isNull();
  const double opacity = alone ? 1 : style.opacity;
  const auto columns =
      samplesAlong(pixels.width(), grid.width, style.smooth, visible.left(), visible.right());
  const auto rows =
      samplesAlong(pixels.height(), grid.height, style.smooth, visible.top(), visible.bottom());
  QImage image(pixels, QImage::Format_RGB32);
  for (int y = 0; y < pixels.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    const uchar* grey = alone ? nullptr : under.constScanLine(y);
    for (int x = 0; x < pixels.width(); ++x) {
      const Sample& row = rows[static_cast<std::size_t>(y)];
      const Sample& column = columns[static_cast<std::size_t>(x)];
      line[x] = colorOver(sampledColor(colors, grid, row, column), opacity, grey ? grey[x] : 0);
    }
  }
  return image;
}

}  // namespace softscope
