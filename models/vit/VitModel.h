#pragma once

#include "models/identify/Family.h"
#include "models/identify/ResolvedHeads.h"
#include "models/vit/VitConfiguration.h"

#include <optional>
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
  /// The heads if neither the file nor its user gives them; if empty, those of defaultVitHeads().
  std::optional<DefaultHeads> heads = std::nullopt;
};

/// Defines a vision transformer with softmax attention; its heads and everything else that weights
/// do not determine are still to be resolved.
DefinedModel defineVit(VitConfiguration configuration, const VitIdentity& identity,
                       const ModelHints& hints);

/// Sets the picture size that the positions were trained for: square, or as nearly square as they
/// allow.
void inputSizeOfPositions(int positions, int patch, InputTransform& transform);

}  // namespace softscope
