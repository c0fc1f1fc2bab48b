#pragma once

#include "models/identify/Family.h"
#include "models/identify/ResolvedHeads.h"
#include "models/vit/VitConfiguration.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Returns the heads of a vision transformer with these sizes if neither its file nor its user
/// gives them. Certain if published networks of these sizes have this number, or if a name says
/// which network it is.
DefaultHeads defaultVitHeads(const VitConfiguration& configuration, const std::string& network,
                             const ModelHints& hints);

/// Determines everything else that weights do not: activation, gate, epsilon, the place of norms,
/// the head's input and activation, which tokens have positions and on which grid, and writes it to
/// the configuration, whose own values serve as the usual ones. Returns the settings in this order.
/// Throws ModelError for values that Softscope does not compute.
std::vector<NetworkSetting> resolveVit(VitConfiguration& configuration, const ModelHints& hints);

/// Resolves how positions are resized, which timm's names leave open: networks under them come from
/// repositories that resize in several ways. It is assumed for pictures of other sizes than that of
/// the positions alone. Returns nothing if a name tells it and for positions that are never
/// resized. `transform` is the usual one of the network's pictures.
std::optional<NetworkSetting> resolvePositionResize(VitConfiguration& configuration,
                                                    const InputTransform& transform,
                                                    const ModelHints& hints);

/// config.json's key of whether positions rotate queries and keys, which no weight of timm's EVA
/// tells.
inline constexpr const char* evaRotatesKey = "use_rot_pos_emb";
/// Returns that as a guessed setting, which has no option.
NetworkSetting guessedEvaRotation(bool rotates);

/// Returns the names, among those of pixelNorms(), of the normalisations that the pictures of
/// published vision transformers of this layout went through, the most likely first.
std::vector<std::string> pixelNormsOfVits(const VitConfiguration& configuration);

}  // namespace softscope
