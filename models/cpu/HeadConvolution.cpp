#include "models/cpu/HeadConvolution.h"

#include "models/cpu/EachProcessor.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>

namespace softscope {

namespace {

/// Sizes of a batch of maps [batch, height, width, heads * channels].
struct Sizes {
  std::int64_t batch = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t channels = 0;  ///< of a head
  std::int64_t kernel = 0;

  std::int64_t rowStride() const { return width * heads * channels; }
  std::int64_t pixelStride() const { return heads * channels; }
  std::int64_t mapStride() const { return height * rowStride(); }
  std::int64_t filterSize() const { return kernel * kernel; }
};

/// Calls visit(tap, offset) for each tap of the filter about pixel (y, x) that falls on the map;
/// offset leads from the pixel's values to the neighbour's.
template <typename Visit>
void forEachTap(const Sizes& sizes, std::int64_t y, std::int64_t x, Visit visit) {
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

/// Width channels of one head at one pixel, summed over the taps in registers.
template <typename T, std::int64_t Width>
void convolvePixel(const Sizes& sizes, const T* in, const T* filter, T* out, std::int64_t y,
                   std::int64_t x) {
  T sums[Width] = {};
  forEachTap(sizes, y, x, [&](std::int64_t tap, std::int64_t offset) {
    const T weight = filter[tap];
    const T* neighbour = in + offset;
    for (std::int64_t c = 0; c < Width; ++c) sums[c] += weight * neighbour[c];
  });
  std::copy_n(sums, Width, out);
}

/// Sums over channels are kept in so many lanes, to be added up at the end.
constexpr std::int64_t lanes = 4;

/// Adds, for each tap, the products of Width channels of one head's output gradient with the
/// neighbour's inputs.
template <typename T, std::int64_t Width>
void correlatePixel(const Sizes& sizes, const T* in, const T* gradient, T* sums, std::int64_t y,
                    std::int64_t x) {
  T own[Width];
  std::copy_n(gradient, Width, own);
  forEachTap(sizes, y, x, [&](std::int64_t tap, std::int64_t offset) {
    const T* neighbour = in + offset;
    T partial[lanes] = {};
    for (std::int64_t c = 0; c < Width; c += lanes) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        partial[lane] += own[c + lane] * neighbour[c + lane];
      }
    }
    for (std::int64_t lane = 0; lane < lanes; ++lane) sums[tap * lanes + lane] += partial[lane];
  });
}

/// Calls visit(head, y, x, offset of the head's values at the pixel) for row y of a map.
template <typename Visit>
void forEachPixelOfRow(const Sizes& sizes, std::int64_t y, Visit visit) {
  for (std::int64_t x = 0; x < sizes.width; ++x) {
    for (std::int64_t head = 0; head < sizes.heads; ++head) {
      visit(head, y, x, y * sizes.rowStride() + x * sizes.pixelStride() + head * sizes.channels);
    }
  }
}

template <typename Visit>
void forEachPixel(const Sizes& sizes, Visit visit) {
  for (std::int64_t y = 0; y < sizes.height; ++y) forEachPixelOfRow(sizes, y, visit);
}

template <typename T>
void convolveRow(const Sizes& sizes, const T* in, const T* filters, T* out, std::int64_t row) {
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

/// The filters' gradient of one map, [heads, taps, lanes]; channels must divide by the lanes.
template <typename T>
void correlateMap(const Sizes& sizes, const T* in, const T* gradient, T* sums) {
  forEachPixel(sizes, [&](std::int64_t head, std::int64_t y, std::int64_t x, std::int64_t at) {
    T* own = sums + head * sizes.filterSize() * lanes;
    std::int64_t c = 0;
    for (; c + 32 <= sizes.channels; c += 32) {
      correlatePixel<T, 32>(sizes, in + at + c, gradient + at + c, own, y, x);
    }
    for (; c < sizes.channels; c += lanes) {
      correlatePixel<T, lanes>(sizes, in + at + c, gradient + at + c, own, y, x);
    }
  });
}

// Of each kind of number one, since a template has no versions for processors.

SOFTSCOPE_FOR_EACH_PROCESSOR
void convolve(const Sizes& sizes, const float* in, const float* filters, float* out,
              std::int64_t row) {
  convolveRow(sizes, in, filters, out, row);
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void convolve(const Sizes& sizes, const double* in, const double* filters, double* out,
              std::int64_t row) {
  convolveRow(sizes, in, filters, out, row);
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void correlate(const Sizes& sizes, const float* in, const float* gradient, float* sums) {
  correlateMap(sizes, in, gradient, sums);
}

SOFTSCOPE_FOR_EACH_PROCESSOR
void correlate(const Sizes& sizes, const double* in, const double* gradient, double* sums) {
  correlateMap(sizes, in, gradient, sums);
}

/// [B, heads, n, d] -> contiguous [B, n, heads, d], without copying where it is a view of one.
torch::Tensor pixelMajor(const torch::Tensor& x) {
  return x.transpose(1, 2).contiguous();
}

constexpr std::int64_t rowsPerTask = 8;

torch::Tensor convolveAll(const Sizes& sizes, const torch::Tensor& maps,
                          const torch::Tensor& filters) {
  torch::Tensor result = torch::empty_like(maps);
  AT_DISPATCH_FLOATING_TYPES(maps.scalar_type(), "convolveHeads", [&] {
    const scalar_t* in = maps.data_ptr<scalar_t>();
    const scalar_t* weights = filters.data_ptr<scalar_t>();
    scalar_t* out = result.data_ptr<scalar_t>();
    const std::int64_t rows = sizes.batch * sizes.height;
    at::parallel_for(0, rows, rowsPerTask, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t map = i / sizes.height * sizes.mapStride();
        convolve(sizes, in + map, weights, out + map, i % sizes.height);
      }
    });
  });
  return result;
}

torch::Tensor correlateAll(const Sizes& sizes, const torch::Tensor& maps,
                           const torch::Tensor& gradient) {
  // A picture's sum is its own, so that the result does not depend on the threads.
  torch::Tensor sums =
      torch::zeros({sizes.batch, sizes.heads, sizes.filterSize(), lanes}, maps.options());
  AT_DISPATCH_FLOATING_TYPES(maps.scalar_type(), "convolveHeads", [&] {
    const scalar_t* in = maps.data_ptr<scalar_t>();
    const scalar_t* own = gradient.data_ptr<scalar_t>();
    scalar_t* out = sums.data_ptr<scalar_t>();
    const std::int64_t stride = sums.stride(0);
    at::parallel_for(0, sizes.batch, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        correlate(sizes, in + i * sizes.mapStride(), own + i * sizes.mapStride(), out + i * stride);
      }
    });
  });
  return sums.sum(-1).sum(0).view({sizes.heads, 1, sizes.kernel, sizes.kernel});
}

struct HeadConvolution : torch::autograd::Function<HeadConvolution> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& value, const torch::Tensor& filters,
                               std::int64_t height, std::int64_t width) {
    const torch::Tensor maps = pixelMajor(value);
    const torch::Tensor weights = filters.contiguous();
    context->save_for_backward({maps, weights});
    context->saved_data["height"] = height;
    context->saved_data["width"] = width;
    return convolveAll(sizesOf(maps, weights, height, width), maps, weights).transpose(1, 2);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Sizes sizes = sizesOf(saved[0], saved[1], context->saved_data["height"].toInt(),
                                context->saved_data["width"].toInt());
    const torch::Tensor gradient = pixelMajor(gradients[0]);
    const torch::Tensor flipped = saved[1].flip({2, 3}).contiguous();
    return {convolveAll(sizes, gradient, flipped).transpose(1, 2),
            correlateAll(sizes, saved[0], gradient),
            {},
            {}};
  }

  static Sizes sizesOf(const torch::Tensor& maps, const torch::Tensor& filters, std::int64_t height,
                       std::int64_t width) {
    return {maps.size(0), height, width, maps.size(2), maps.size(3), filters.size(-1)};
  }
};

}  // namespace

bool canConvolveHeads(const torch::Tensor& value, const torch::Tensor& filters) {
  return value.is_cpu() && value.size(-1) % lanes == 0 && filters.size(-1) % 2 == 1;
}

torch::Tensor convolveHeads(const torch::Tensor& value, const torch::Tensor& filters,
                            const TokenGrid& grid) {
  TORCH_CHECK(canConvolveHeads(value, filters), "no head convolution for these sizes");
  return HeadConvolution::apply(value, filters, std::int64_t{grid.height},
                                std::int64_t{grid.width});
}

}  // namespace softscope
