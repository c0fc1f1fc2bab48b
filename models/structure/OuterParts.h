#pragma once

#include "models/structure/TransformerStructure.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Facts about the blocks that reading the parts outside them relies on.
struct OuterContext {
  const StateDict& state;
  std::string blocks;  ///< the blocks' names up to their numbers
  bool isOrdered = true;
  SaidGrid said;
};

/// Reads what is outside the blocks: the patch embedding, tokens, positions, norms and the head.
/// `read` has the width of the tokens. Throws a ModelError that names the first unit without a
/// place, or the two ways to read one.
void readOuterParts(const std::vector<TensorUnit>& units, const OuterContext& context,
                    TransformerStructure& read);

}  // namespace softscope
