#pragma once

#include "models/identify/Family.h"
#include "models/vit/VitConfiguration.h"

#include <string>
#include <vector>

namespace softscope {

/// What a family knows of a vision transformer of its own.
struct VitIdentity {
  std::string family;
  std::string network;  ///< for messages: `DINOv2`
  std::string variant;
  InputTransform transform;
  /// As in DefinedModel.
  std::vector<std::string> pixelNorms = {};
};

/// A vision transformer with softmax attention; its heads and what else weights do not tell are
/// still to be found.
DefinedModel defineVit(VitConfiguration configuration, const VitIdentity& identity,
                       const ModelHints& hints);

/// The size of picture that the positions were trained for: square, or as nearly so as they allow.
void inputSizeOfPositions(int positions, int patch, InputTransform& transform);

}  // namespace softscope
