#pragma once

#include "models/structure/OuterParts.h"
#include "models/structure/TensorUnits.h"
#include "models/structure/TransformerStructure.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softscope {

/// Throws a ModelError for a product of a patch in the picture and in four shifted copies ("Vision
/// Transformer for Small-Size Datasets", 2021, arXiv 2112.13492): it has as many inputs as a norm
/// among `others`. Five or fifteen channels that something says are no copies.
void refuseShiftedPatches(const std::vector<TensorUnit>& linears,
                          const std::vector<TensorUnit>& others, std::int64_t channels,
                          const SaidGrid& said);

/// Returns the index of the product that embeds the pixels of patches in tokens of so many
/// channels. Throws ModelError if there is none, or if two may be it.
std::size_t findPatchProduct(const std::vector<TensorUnit>& linears, std::int64_t channels,
                             const OuterContext& context);

/// Returns the embedding that a product makes of square patches.
PatchStructure patchProduct(const TensorUnit& unit, const SaidGrid& said);

}  // namespace softscope
