#pragma once

#include "models/identify/Family.h"
#include "models/structure/TransformerStructure.h"

namespace softscope {

/// Throws ModelError if metadata or config.json say something that the network cannot be computed
/// with: a causal mask, rotations, sums that are scaled.
void refuseOtherComputation(const ModelHints& hints);

/// Throws ModelError if config.json says that the network is another than its structure shows, such
/// as one with windows.
void refuseOtherConfigured(const TransformerStructure& read, const ModelHints& hints);

}  // namespace softscope
