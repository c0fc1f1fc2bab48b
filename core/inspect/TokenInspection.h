#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <memory>
#include <optional>
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

/// The final layer norm of a network, and its projection to a space that texts share: what its
/// class token goes through behind the last block.
struct FeatureSpace {
  Vector weight;  ///< of the norm, [C]
  Vector bias;    ///< [C]
  double epsilon = 0;
  Matrix projection;  ///< [C, width]; empty if there is none

  /// Returns the length of what comes out.
  Eigen::Index width() const { return projection.size() > 0 ? projection.cols() : weight.size(); }
};

/// The tokens of every block in one forward pass on one picture, in the order in which blocks run.
struct TokenInspection {
  std::vector<LayerTokens> layers;
  /// Empty if the network has no final norm of its tokens.
  std::optional<FeatureSpace> features = std::nullopt;

  /// Returns the index of the layer with this name. Throws InspectionError if it has no tokens.
  std::size_t indexOf(const std::string& layer) const;
};

/// Runs `model` on `input` for its tokens alone, so that only those who look at tokens pay for
/// them. Throws InspectionError if the model has no tokens to show or cannot take that size, and
/// Cancelled.
std::shared_ptr<const TokenInspection> inspectTokens(const Model& model, const InputTensor& input,
                                                     const Progress& progress = {});

}  // namespace softscope
