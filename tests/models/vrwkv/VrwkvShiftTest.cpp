#include "models/vrwkv/VrwkvNetwork.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace softscope {
namespace {

/// Returns the tokens that the shift mixes in, computed token by token.
torch::Tensor shiftedOneByOne(const torch::Tensor& tokens, const TokenGrid& grid,
                              const VrwkvConfiguration& sizes) {
  torch::Tensor shifted = tokens.clone();
  const double share = static_cast<double>(tokens.size(2)) * sizes.shiftShare;
  const int offsets[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};  // from left, right, above, below
  for (int side = 0; side < 4; ++side) {
    const int begin = static_cast<int>(std::floor(share * side));
    const int end = static_cast<int>(std::floor(share * (side + 1)));
    for (int y = 0; y < grid.height; ++y) {
      for (int x = 0; x < grid.width; ++x) {
        const int fromY = y + offsets[side][0] * sizes.shiftPixels;
        const int fromX = x + offsets[side][1] * sizes.shiftPixels;
        const bool isInside = fromY >= 0 && fromY < grid.height && fromX >= 0 && fromX < grid.width;
        for (int channel = begin; channel < end; ++channel) {
          shifted[0][y * grid.width + x][channel] =
              isInside ? tokens[0][fromY * grid.width + fromX][channel] : torch::zeros({});
        }
      }
    }
  }
  return shifted;
}

TEST(VrwkvShift, TakesEachShareOfTheChannelsFromOneSide) {
  torch::manual_seed(1);
  const TokenGrid grid{3, 4};
  const torch::Tensor tokens = torch::randn({1, grid.count(), 18});
  for (const double share : {0.25, 0.125, 0.2}) {
    for (const int pixels : {1, 2, 3, 7}) {
      SCOPED_TRACE(std::to_string(share) + ", " + std::to_string(pixels));
      VrwkvConfiguration sizes;
      sizes.shiftShare = share;
      sizes.shiftPixels = pixels;
      const torch::Tensor mixed = VrwkvShift(tokens, grid, sizes).mixed(torch::zeros({18}));
      EXPECT_TRUE(torch::equal(mixed, shiftedOneByOne(tokens, grid, sizes)));
    }
  }
}

}  // namespace
}  // namespace softscope
