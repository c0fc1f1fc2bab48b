#include "core/Error.h"
#include "models/vim/VimNetwork.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// A Vim without layers, with patches of 8 pixels.
VimNetwork vimOfPatches(int side) {
  VimConfiguration sizes;
  sizes.channels = 4;
  sizes.patch = 8;
  sizes.side = side;
  return VimNetwork(sizes);
}

TEST(VimNetwork, TakesSizesThatItsPatchesCoverToTheLastPixel) {
  const VimNetwork vim = vimOfPatches(8);
  // Patches side by side, and patches that overlap by half.
  for (const int side : {64, 36}) EXPECT_NO_THROW(vim.checkInputSize(side, side)) << side;
  EXPECT_NO_THROW(vim.checkInputSize(36, 64));
  for (const int side : {63, 65, 71, 72, 35, 37, 39, 0}) {
    EXPECT_THROW(vim.checkInputSize(side, side), InspectionError) << side;
  }
  EXPECT_THROW(vim.checkInputSize(64, 71), InspectionError);
}

}  // namespace
}  // namespace softscope
