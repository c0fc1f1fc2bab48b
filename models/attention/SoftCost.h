#pragma once

namespace softscope {

struct MechanismImplementation;

// SOFT and SOFT++ as cost figures measure them; their networks are in models/soft.

/// SOFT through m landmarks made as the released code makes them, by a convolution with stride, a
/// LayerNorm and a GELU; its windows are runs of tokens, so that m does not depend on n.
MechanismImplementation softImplementation();
/// SOFT++, with SOFT's landmarks.
MechanismImplementation softNormImplementation();

}  // namespace softscope
