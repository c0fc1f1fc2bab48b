#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

/// How sines and cosines of the same angles share the channels.
enum class SineOrder {
  Interleaved,  ///< even channels hold sines, odd ones cosines
  Halves,       ///< all sines come first
};

/// Returns the positions of "Attention Is All You Need" (2017, arXiv 1706.03762), [1, count,
/// channels]: sines and cosines of t / 10000^(2 i / channels).
torch::Tensor sinesOfTokens(std::int64_t count, std::int64_t channels, SineOrder order);

/// The periods of sines along an axis, of q each, a quarter of the channels.
enum class GridPeriods {
  OfSimpleVit,  ///< 10000^(i / (q - 1)) for i < q
  OfMae,        ///< 10000^(i / q)
};

/// Returns positions of patches, [1, grid.count(), channels]: the first half of the channels for x,
/// the second for y. In Halves order these are those of "Better plain ViT baselines for
/// ImageNet-1k" (2022, arXiv 2205.01580) and of "Masked Autoencoders Are Scalable Vision Learners"
/// (2021, arXiv 2111.06377). Channels that four does not divide hold zeros.
torch::Tensor sinesOfGrid(const TokenGrid& grid, std::int64_t channels, GridPeriods periods,
                          SineOrder order);

/// Returns true if the rows of a table [n, C] are sines of their numbers, of any periods, as a
/// buffer of computed positions holds them.
bool holdsSines(const torch::Tensor& table);

}  // namespace softscope
