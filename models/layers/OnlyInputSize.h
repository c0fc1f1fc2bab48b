#pragma once

namespace softscope {

/// Throws InspectionError unless a picture is `side` x `side` pixels. Called by networks whose
/// attention has a table of positions, for which no published code computes any other size.
void requireOnlyInputSize(int height, int width, int side);

/// Throws InspectionError unless a picture can be cut into patches of `side` x `side` pixels. A
/// convolution would leave the last pixels out, and the patches lie elsewhere than on a grid over
/// the picture.
void requireWholePatches(int height, int width, int side);

/// Throws InspectionError if a picture is empty. Called by networks whose padded convolutions of
/// stride 2 round sizes up, so that even one pixel gives one patch.
void requireAnyInputSize(int height, int width);

}  // namespace softscope
