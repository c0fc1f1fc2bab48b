#pragma once

namespace softscope {

/// Throws InspectionError unless a picture is `side` x `side` pixels. Called by networks whose
/// attention has a table of positions, for which no published code computes any other size.
void requireOnlyInputSize(int height, int width, int side);

}  // namespace softscope
