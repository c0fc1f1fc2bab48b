#pragma once

#include "core/inspect/Inspection.h"

namespace softscope {

/// A head's bottleneck matrix A, [m, m]. Throws InspectionError, saying why there is none, for a
/// mechanism without landmarks and for a head that is not there.
const Matrix& bottleneckOf(const LayerInspection& layer, int head);

/// What the iteration made of it, for SOFT++ before D^(-1/2) is applied; likewise.
const Matrix& bottleneckInverseOf(const LayerInspection& layer, int head);

}  // namespace softscope
