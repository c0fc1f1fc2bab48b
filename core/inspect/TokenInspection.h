#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTensor.h"
#include "core/model/Model.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// The residual stream behind one block.
struct LayerTokens {
  std::string layer;  ///< the block's attention layer
  TokenGrid grid;     ///< how the patches lie on the picture
  Matrix tokens;      ///< [prefix + patches, C]
  Vector norms;       ///< [prefix + patches], the l2 norm of each token
  /// As in AttentionDescription.
  std::vector<std::string> prefixNames = {};

  /// Tokens before the patches.
  int prefix() const { return static_cast<int>(tokens.rows()) - grid.count(); }
};

/// Every block's tokens in one forward pass on one picture, in the order blocks run.
struct TokenInspection {
  std::vector<LayerTokens> layers;

  /// The index of the layer of that name. Throws InspectionError where it has no tokens.
  std::size_t indexOf(const std::string& layer) const;
};

/// Runs `model` on `input` for its tokens alone: nobody who does not look at them pays for them.
/// Throws InspectionError where the model has none to show or cannot take that size, Cancelled.
std::shared_ptr<const TokenInspection> inspectTokens(const Model& model, const InputTensor& input,
                                                     const Progress& progress = {});

}  // namespace softscope
