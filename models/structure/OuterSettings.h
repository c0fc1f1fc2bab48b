#pragma once

#include "models/structure/StructureSettings.h"

namespace softscope {

/// Settles which tokens the head sees, and where the norm behind the blocks acts.
void settlePooling(const TransformerStructure& structure, const ModelHints& hints,
                   SettledStructure& settled);

/// Settles the patches, the positions and the tokens beside the patches. Throws ModelError like
/// settleStructure().
void settlePatches(const TransformerStructure& structure, const ModelHints& hints,
                   SettledStructure& settled);

/// Settles the activation inside a head of several layers.
void settleHead(const TransformerStructure& structure, const ModelHints& hints,
                SettledStructure& settled);

}  // namespace softscope
