#pragma once

#include "models/structure/StructureSettings.h"

namespace softscope {

/// Settles the heads, the mechanism, the projections, the mlp and the norms of the blocks. Throws
/// ModelError like settleStructure().
void settleBlocks(const TransformerStructure& structure, const ModelHints& hints,
                  SettledStructure& settled);

/// Settles what the layer scales of the blocks multiply, if there are any.
void settleLayerScale(const TransformerStructure& structure, const ModelHints& hints,
                      SettledStructure& settled);

}  // namespace softscope
