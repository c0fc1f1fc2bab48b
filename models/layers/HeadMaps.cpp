#include "models/layers/HeadMaps.h"

namespace softscope {

torch::Tensor poolHeads(const torch::Tensor& tokens, const TokenGrid& grid, int ratio) {
  const torch::Tensor pooled = tokensOf(at::avg_pool2d(mapOf(tokens.flatten(0, 1), grid), ratio));
  return pooled.view({tokens.size(0), tokens.size(1), pooled.size(1), pooled.size(2)});
}

torch::Tensor filterHeads(const Convolution& convolution, const torch::Tensor& tokens,
                          const TokenGrid& grid) {
  const std::int64_t batch = tokens.size(0);
  const std::int64_t heads = tokens.size(1);
  const std::int64_t width = tokens.size(3);
  // The channels become part of the batch, so that they share the head's filter.
  const torch::Tensor maps =
      tokens.permute({0, 3, 1, 2}).reshape({batch * width, heads, grid.height, grid.width});
  return convolution.ptr()->forward(maps).view({batch, width, heads, -1}).permute({0, 2, 3, 1});
}

torch::Tensor filterChannels(const Convolution& convolution, const torch::Tensor& tokens,
                             const TokenGrid& grid) {
  const torch::Tensor maps = mapOf(tokens.flatten(0, 1), grid);
  return tokensOf(convolution.ptr()->forward(maps))
      .view({tokens.size(0), tokens.size(1), -1, tokens.size(3)});
}

}  // namespace softscope
