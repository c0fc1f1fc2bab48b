#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// The residual stream after one block.
struct LayerTokens {
  std::string layer;  ///< the block's attention layer
  TokenGrid grid;     ///< how the patches lie on the picture
  Matrix tokens;      ///< [prefix + patches, C]
  Vector norms;       ///< [prefix + patches], the l2 norm of each token
  /// Names of the tokens before the patches, as in AttentionDescription.
  std::vector<std::string> prefixNames = {};

  /// Number of tokens before the patches.
  int prefix() const { return static_cast<int>(tokens.rows()) - grid.count(); }
};

/// The tokens of every block in one forward pass on one picture, in the order in which blocks run.
struct TokenInspection {
  std::vector<LayerTokens> layers;

  /// Returns the index of the layer with this name. Throws InspectionError if it has no tokens.
  std::size_t indexOf(const std::string& layer) const;
};

/// Runs `model` on `input` for its tokens alone, so that only those who look at tokens pay for
/// them. Throws InspectionError if the model has no tokens to show or cannot take that size, and
/// Cancelled.
std::shared_ptr<const TokenInspection> inspectTokens(const Model& model, const InputTensor& input,
                                                     const Progress& progress = {});

}  // namespace softscope
