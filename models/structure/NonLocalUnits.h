#pragma once

#include "models/structure/NonLocalCnn.h"
#include "models/structure/StructureSettings.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A non-local block among the units of a file.
struct FoundNonLocal {
  CnnNonLocal block;
  std::vector<std::size_t> units;  ///< indices of all its units
};

/// Finds non-local blocks by the names and shapes of their 1 x 1 convolutions, whatever their inner
/// width. Blocks whose parts cannot be told apart are left out.
std::vector<FoundNonLocal> findNonLocalBlocks(const std::vector<TensorUnit>& units);

/// `isOrdered` says whether the order of the units means anything; otherwise blocks stand behind
/// the convolution that alone has their channels. Lays the units out as self-written networks
/// usually have them: every convolution keeps the size and is followed by its batch norm, a ReLU
/// and a pooling of 2 x 2; products follow, with ReLUs between them, behind a pooling of all places
/// if the first takes one number of each channel. Throws ModelError for a unit without a place, for
/// a 1 x 1 convolution, which may be a branch, or if the first product takes no such map.
NonLocalCnnStructure usualCnn(const std::vector<TensorUnit>& units,
                              const std::vector<FoundNonLocal>& blocks, bool isOrdered,
                              const std::optional<SaidSize>& size);

/// Lays the units out as a list of steps says, in JSON: `["conv", PATH, inputs, outputs, kernel,
/// stride, padding, bias]`, `["bn", PATH, channels]`, `["relu"]`, `["maxpool", side]`,
/// `["avgpool", side]`, `["globalavgpool"]`, `["flatten"]`, `["linear", PATH, inputs, outputs]` and
/// `["nonlocal", {"path": PATH, ...}]`. Throws ModelError for a step that it does not know, or that
/// the units do not fit, and for units without a step.
NonLocalCnnStructure cnnOfProgram(const std::string& program, const std::vector<TensorUnit>& units,
                                  const std::vector<FoundNonLocal>& blocks);

}  // namespace softscope
