#pragma once

namespace softscope {

/// Throws InspectionError unless a picture is `side` x `side`: for networks whose attention has a
/// table of positions, so that no other size has an answer that anybody published.
void requireOnlyInputSize(int height, int width, int side);

}  // namespace softscope
