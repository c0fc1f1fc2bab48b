#pragma once

#include "models/identify/Family.h"

#include <string>

namespace softscope {

/// The arguments of timm's rotations that are computed with one value alone, which leaves nothing
/// in weights.
struct UsualRotation {
  const char* network;        ///< for messages: `EVA`
  const char* type;           ///< `rope_type`
  const char* rotatesHalves;  ///< `rope_rotate_half`
};

/// Throws ModelError if a configuration, which may be null, gives one of them another value.
void requireUsualRotation(const UsualRotation& usual, const ConfigurationFile* said);

/// Adds them to the settings of `summary`, assumed unless the sizes are published or `said` names
/// the network. Throws ModelError if the metadata give one of them another value.
void describeUsualRotation(const UsualRotation& usual, bool isPublished,
                           const ConfigurationFile* said, const ModelHints& hints,
                           ModelSummary& summary);

}  // namespace softscope
