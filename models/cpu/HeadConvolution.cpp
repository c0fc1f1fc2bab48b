#include "models/cpu/HeadConvolution.h"

#include "models/cpu/HeadConvolutionLoops.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>

namespace softscope {

namespace {

/// Converts [B, heads, n, d] to contiguous [B, n, heads, d], without copying if it is a view of
/// one.
torch::Tensor pixelMajor(const torch::Tensor& x) {
  return x.transpose(1, 2).contiguous();
}

constexpr std::int64_t rowsPerTask = 8;

torch::Tensor convolveAll(const HeadMapSizes& sizes, const torch::Tensor& maps,
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
        convolveRow(sizes, in + map, weights, out + map, i % sizes.height);
      }
    });
  });
  return result;
}

torch::Tensor correlateAll(const HeadMapSizes& sizes, const torch::Tensor& maps,
                           const torch::Tensor& gradient) {
  // Each picture has sums of its own, so that the result does not depend on the number of threads.
  torch::Tensor sums = torch::zeros(
      {sizes.batch, sizes.heads, sizes.filterSize(), correlationLanes}, maps.options());
  AT_DISPATCH_FLOATING_TYPES(maps.scalar_type(), "convolveHeads", [&] {
    const scalar_t* in = maps.data_ptr<scalar_t>();
    const scalar_t* own = gradient.data_ptr<scalar_t>();
    scalar_t* out = sums.data_ptr<scalar_t>();
    const std::int64_t stride = sums.stride(0);
    at::parallel_for(0, sizes.batch, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        correlateMap(sizes, in + i * sizes.mapStride(), own + i * sizes.mapStride(),
                     out + i * stride);
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
    const HeadMapSizes sizes = sizesOf(saved[0], saved[1], context->saved_data["height"].toInt(),
                                       context->saved_data["width"].toInt());
    const torch::Tensor gradient = pixelMajor(gradients[0]);
    const torch::Tensor flipped = saved[1].flip({2, 3}).contiguous();
    return {convolveAll(sizes, gradient, flipped).transpose(1, 2),
            correlateAll(sizes, saved[0], gradient),
            {},
            {}};
  }

  static HeadMapSizes sizesOf(const torch::Tensor& maps, const torch::Tensor& filters,
                              std::int64_t height, std::int64_t width) {
    return {maps.size(0), height, width, maps.size(2), maps.size(3), filters.size(-1)};
  }
};

}  // namespace

bool canConvolveHeads(const torch::Tensor& value, const torch::Tensor& filters) {
  return value.is_cpu() && value.size(-1) % correlationLanes == 0 && filters.size(-1) % 2 == 1;
}

torch::Tensor convolveHeads(const torch::Tensor& value, const torch::Tensor& filters,
                            const TokenGrid& grid) {
  TORCH_CHECK(canConvolveHeads(value, filters), "no head convolution for these sizes");
  return HeadConvolution::apply(value, filters, std::int64_t{grid.height},
                                std::int64_t{grid.width});
}

}  // namespace softscope
