#pragma once

#include "models/identify/Family.h"
#include "models/vit/VitConfiguration.h"

#include <string>
#include <vector>

namespace softscope {

/// The identity of a vision transformer, as its family knows it.
struct VitIdentity {
  std::string family;
  std::string network;  ///< for messages: `DINOv2`
  std::string variant;
  InputTransform transform;
  /// Names of pixelNorms(), as in DefinedModel.
  std::vector<std::string> pixelNorms = {};
};

/// Defines a vision transformer with softmax attention; its heads and everything else that weights
/// do not determine are still to be resolved.
DefinedModel defineVit(VitConfiguration configuration, const VitIdentity& identity,
                       const ModelHints& hints);

/// Sets the picture size that the positions were trained for: square, or as nearly square as they
/// allow.
void inputSizeOfPositions(int positions, int patch, InputTransform& transform);

}  // namespace softscope
