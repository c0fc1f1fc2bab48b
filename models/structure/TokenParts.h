#pragma once

#include "models/structure/TransformerStructure.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace softscope {

/// Takes the class token, registers and positions out of the units. Throws a ModelError for
/// parameters that fit none of these.
void readTokens(std::vector<TensorUnit>& units, TransformerStructure& read);

/// Returns the rows of the position table, if there is one.
std::optional<std::int64_t> positionRows(const TransformerStructure& read);

/// Determines how many patches there are and how they lie on the picture, from the positions, a
/// head of all tokens, or the size that something beside the weights says.
void settleGrid(TransformerStructure& read, const std::optional<SaidSize>& size);

}  // namespace softscope
