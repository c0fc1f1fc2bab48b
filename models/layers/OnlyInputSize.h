#pragma once

namespace softscope {

/// Throws InspectionError unless a picture is `side` x `side`. For networks whose attention has a
/// table of positions, so that no published code computes any other size.
void requireOnlyInputSize(int height, int width, int side);

}  // namespace softscope
