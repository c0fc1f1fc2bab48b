#pragma once

#include <cstdint>

namespace softscope {

// The convolution of HeadConvolution.h on plain arrays: maps are [batch, height, width, heads *
// channels], and filters [heads, kernel, kernel].

/// Sizes of a batch of maps.
struct HeadMapSizes {
  std::int64_t batch = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t channels = 0;  ///< channels per head
  std::int64_t kernel = 0;

  std::int64_t rowStride() const { return width * heads * channels; }
  std::int64_t pixelStride() const { return heads * channels; }
  std::int64_t mapStride() const { return height * rowStride(); }
  std::int64_t filterSize() const { return kernel * kernel; }
};

/// Number of partial sums of the filters' gradient, which are added up at the end.
constexpr std::int64_t correlationLanes = 4;

/// Convolves row `row` of the map at `in`, and writes it to the same row of the map at `out`.
void convolveRow(const HeadMapSizes& sizes, const float* in, const float* filters, float* out,
                 std::int64_t row);
void convolveRow(const HeadMapSizes& sizes, const double* in, const double* filters, double* out,
                 std::int64_t row);

/// Adds the filters' gradient of one map to sums [heads, kernel * kernel, correlationLanes]; the
/// number of channels must be divisible by the lanes.
void correlateMap(const HeadMapSizes& sizes, const float* in, const float* gradient, float* sums);
void correlateMap(const HeadMapSizes& sizes, const double* in, const double* gradient,
                  double* sums);

}  // namespace softscope
