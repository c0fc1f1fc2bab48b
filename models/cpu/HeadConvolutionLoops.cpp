#include "models/cpu/HeadConvolutionLoops.h"

#include "core/EachProcessor.h"

#include <algorithm>

namespace softscope {

namespace {

/// Calls visit(tap, offset) for each tap of the filter around pixel (y, x) that falls on the map;
/// `offset` is the distance in memory from the pixel's values to the neighbour's.
template <typename Visit>
void forEachTap(const HeadMapSizes& sizes, std::int64_t y, std::int64_t x, Visit visit) {
  const std::int64_t reach = sizes.kernel / 2;
  const std::int64_t top = std::max<std::int64_t>(0, reach - y);
  const std::int64_t bottom = std::min(sizes.kernel, sizes.height + reach - y);
  const std::int64_t left = std::max<std::int64_t>(0, reach - x);
  const std::int64_t right = std::min(sizes.kernel, sizes.width + reach - x);
  for (std::int64_t row = top; row < bottom; ++row) {
    const std::int64_t rowOffset = (row - reach) * sizes.rowStride();
    for (std::int64_t column = left; column < right; ++column) {
      visit(row * sizes.kernel + column, rowOffset + (column - reach) * sizes.pixelStride());
    }
  }
}

/// Computes `Width` channels of one head at one pixel, summing over the taps in registers.
template <typename T, std::int64_t Width>
void convolvePixel(const HeadMapSizes& sizes, const T* in, const T* filter, T* out, std::int64_t y,
                   std::int64_t x) {
  T sums[Width] = {};
  forEachTap(sizes, y, x, [&](std::int64_t tap, std::int64_t offset) {
    const T weight = filter[tap];
    const T* neighbour = in + offset;
    for (std::int64_t c = 0; c < Width; ++c) sums[c] += weight * neighbour[c];
  });
  std::copy_n(sums, Width, out);
}

/// Adds, for each tap, the products of `Width` channels of one head's output gradient with the
/// neighbour's inputs.
template <typename T, std::int64_t Width>
void correlatePixel(const HeadMapSizes& sizes, const T* in, const T* gradient, T* sums,
                    std::int64_t y, std::int64_t x) {
  T own[Width];
  std::copy_n(gradient, Width, own);
  forEachTap(sizes, y, x, [&](std::int64_t tap, std::int64_t offset) {
    const T* neighbour = in + offset;
    T partial[correlationLanes] = {};
    for (std::int64_t c = 0; c < Width; c += correlationLanes) {
      for (std::int64_t lane = 0; lane < correlationLanes; ++lane) {
        partial[lane] += own[c + lane] * neighbour[c + lane];
      }
    }
    for (std::int64_t lane = 0; lane < correlationLanes; ++lane)
      sums[tap * correlationLanes + lane] += partial[lane];
  });
}

/// Calls visit(head, y, x, offset of the head's values at the pixel) for row y of a map.
template <typename Visit>
void forEachPixelOfRow(const HeadMapSizes& sizes, std::int64_t y, Visit visit) {
  for (std::int64_t x = 0; x < sizes.width; ++x) {
    for (std::int64_t head = 0; head < sizes.heads; ++head) {
      visit(head, y, x, y * sizes.rowStride() + x * sizes.pixelStride() + head * sizes.channels);
    }
  }
}

template <typename Visit>
void forEachPixel(const HeadMapSizes& sizes, Visit visit) {
  for (std::int64_t y = 0; y < sizes.height; ++y) forEachPixelOfRow(sizes, y, visit);
}

template <typename T>
void convolveRowOf(const HeadMapSizes& sizes, const T* in, const T* filters, T* out,
                   std::int64_t row) {
  const auto convolve = [&](std::int64_t head, std::int64_t y, std::int64_t x, std::int64_t at) {
    const T* filter = filters + head * sizes.filterSize();
    std::int64_t c = 0;
    for (; c + 32 <= sizes.channels; c += 32) {
      convolvePixel<T, 32>(sizes, in + at + c, filter, out + at + c, y, x);
    }
    for (; c + 4 <= sizes.channels; c += 4) {
      convolvePixel<T, 4>(sizes, in + at + c, filter, out + at + c, y, x);
    }
  };
  forEachPixelOfRow(sizes, row, convolve);
}

/// Adds the filters' gradient of one map, [heads, taps, correlationLanes]; the number of channels
/// must be divisible by correlationLanes.
template <typename T>
void correlateMapOf(const HeadMapSizes& sizes, const T* in, const T* gradient, T* sums) {
  forEachPixel(sizes, [&](std::int64_t head, std::int64_t y, std::int64_t x, std::int64_t at) {
    T* own = sums + head * sizes.filterSize() * correlationLanes;
    std::int64_t c = 0;
    for (; c + 32 <= sizes.channels; c += 32) {
      correlatePixel<T, 32>(sizes, in + at + c, gradient + at + c, own, y, x);
    }
    for (; c < sizes.channels; c += correlationLanes) {
      correlatePixel<T, correlationLanes>(sizes, in + at + c, gradient + at + c, own, y, x);
    }
  });
}

}  // namespace

// One function for each type of number, because templates cannot have versions for several
// processors.

SOFTSCOPE_FOR_EACH_PROCESSOR
void convolveRow(const HeadMapSizes& sizes, const float* in, const float* filters, float* out,
                 std::int64_t row) {
  convolveRowOf(sizes, in, filters, out, row);
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void convolveRow(const HeadMapSizes& sizes, const double* in, const double* filters, double* out,
                 std::int64_t row) {
  convolveRowOf(sizes, in, filters, out, row);
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void correlateMap(const HeadMapSizes& sizes, const float* in, const float* gradient, float* sums) {
  correlateMapOf(sizes, in, gradient, sums);
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void correlateMap(const HeadMapSizes& sizes, const double* in, const double* gradient,
                  double* sums) {
  correlateMapOf(sizes, in, gradient, sums);
}

}  // namespace softscope
