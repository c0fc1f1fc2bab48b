#pragma once

#include "models/structure/TransformerStructure.h"

#include <cstddef>
#include <string>
#include <vector>

namespace softscope {

/// Returns the index of the product that embeds the pixels of patches. Throws ModelError if there
/// is none, or if two may be it.
std::size_t findPatchProduct(const std::vector<TensorUnit>& linears,
                             const TransformerStructure& read, bool isOrdered);

/// Returns the embedding that a product makes of one or three channels of square patches.
PatchStructure patchProduct(const TensorUnit& unit);

/// Returns the number that a layer has in its Sequential; -1 if it has a name.
int numberOfSibling(const std::string& name);

}  // namespace softscope
