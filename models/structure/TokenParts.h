#pragma once

#include "models/structure/TransformerStructure.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace softscope {

/// Takes the class token, registers and positions out of the units. Names decide where they say
/// something, and then the numbers of rows. Throws a ModelError for parameters that fit none of
/// these, or that may be either.
void readTokens(std::vector<TensorUnit>& units, const SaidGrid& said, TransformerStructure& read);

/// Returns the rows of the position table, if there is one.
std::optional<std::int64_t> positionRows(const TransformerStructure& read);

}  // namespace softscope
