#pragma once

#include "models/structure/TransformerStructure.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Takes the class token, registers and positions out of the units. Names decide where they say
/// something, and then the numbers of rows. Throws a ModelError for parameters that fit none of
/// these, or that may be either.
void readTokens(std::vector<TensorUnit>& units, const SaidGrid& said, TransformerStructure& read);

/// Returns the rows of the position table, if there is one.
std::optional<std::int64_t> positionRows(const TransformerStructure& read);

/// Facts about the blocks that reading the parts outside them relies on.
struct OuterContext {
  const StateDict& state;
  std::string blocks;  ///< the blocks' names up to their numbers
  bool isOrdered = true;
  SaidGrid said;
};

/// The parts outside the blocks that tell the places of norms.
struct BesideNorms {
  const std::vector<TensorUnit>& products;  ///< those of the head
  const std::string& patches;               ///< name of the patch embedding's layer
  const OuterContext& context;
};

/// Takes the norms outside the blocks out of the units: those of patches, the one behind the blocks
/// or in front of them, and the one of the head's input. Throws a ModelError for a norm in another
/// place, and for a second one.
void takeOuterNorms(std::vector<TensorUnit>& units, const BesideNorms& beside,
                    TransformerStructure& read);

/// Reads what is outside the blocks: the patch embedding, tokens, positions, norms and the head.
/// `read` has the width of the tokens. Throws a ModelError that names the first unit without a
/// place, or the two ways to read one.
void readOuterParts(const std::vector<TensorUnit>& units, const OuterContext& context,
                    TransformerStructure& read);

}  // namespace softscope
