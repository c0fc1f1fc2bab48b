#pragma once

#include "core/inspect/Inspection.h"

namespace softscope {

/// Returns a head's bottleneck matrix A, [m, m]. Throws InspectionError with the reason for a
/// mechanism without landmarks and for a head that does not exist.
const Matrix& bottleneckOf(const LayerInspection& layer, int head);

/// Returns the inverse of A that the iteration computed, for SOFT++ before D^(-1/2) is applied.
/// Throws like bottleneckOf().
const Matrix& bottleneckInverseOf(const LayerInspection& layer, int head);

}  // namespace softscope
