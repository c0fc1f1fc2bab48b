#pragma once

#include "models/identify/Family.h"
#include "models/identify/ResolvedHeads.h"
#include "models/vit/VitConfiguration.h"

#include <string>

namespace softscope {

/// What a family knows of a vision transformer of its own.
struct VitIdentity {
  std::string family;
  std::string network;  ///< for messages: `DINOv2`
  std::string variant;
  InputTransform transform;
};

/// Heads of a vision transformer of so many channels where nothing tells them: of 64 channels, but
/// for the widths whose published networks have others.
DefaultHeads defaultVitHeads(int channels, const std::string& network);

/// What config.json says about a network's numbers, put into its configuration: epsilon, and the
/// activation where the weights do not tell that it is gated. Throws ModelError for an activation
/// that Softscope does not compute.
void applyConfiguration(const ModelHints& hints, VitConfiguration& configuration);

/// A vision transformer with softmax attention; its heads and what config.json says are still to be
/// found.
DefinedModel defineVit(VitConfiguration configuration, const VitIdentity& identity,
                       const ModelHints& hints);

/// The size of picture that the positions were trained for: square, or as nearly so as they allow.
void inputSizeOfPositions(int positions, int patch, InputTransform& transform);

}  // namespace softscope
