#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/vit/VitConfiguration.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

class ShapeReader;

/// Returns true if a position table with this number of entries has one for every patch of a
/// square, and none for the tokens before them.
bool arePatchesAlone(int entries, int prefixTokens);
/// Returns true for FlexiViT, which has a class token and positions for patches only. The same
/// number of entries could also be for a class token and patches that do not form a square; its own
/// number is taken to mean FlexiViT.
bool isFlexiVit(int entries, int patch);

/// Returns the paths of the blocks of a list, `blocks.0`, up to the largest number in the file.
std::vector<std::string> numberedBlocks(const ShapeReader& shapes, const std::string& list);

/// Sets the channels of the pictures to three for a network under timm's or torchvision's names
/// that could be read by structure. People write networks of their own from such parts for pictures
/// of other channels: these do not fit then and are read by structure, which asks what the
/// libraries resolve.
void leaveGreyToStructure(VitConfiguration& configuration);

/// Returns how the repository of a pretraining resizes positions, if the name in its file is of a
/// part that tells which it is: the projection of DINO, iBOT, Mugs or MSN, or iBOT's mask.
std::optional<VitFact> resizeOfPretraining(const std::string& part);

/// Returns patterns, as Family::harmless has them, for what pretrainings leave beside a plain
/// vision transformer under timm's names, and `others`.
std::vector<std::string> withPartsOfPretraining(std::vector<std::string> others);

/// Reads the sizes of a vision transformer from the tensors with these names. Heads, epsilon,
/// activation (unless it is gated) and the resizing of positions keep their defaults; a fact tells
/// the latter if something of a pretraining in the file does. Throws a
/// ModelError that calls the network `network` if nothing determines a size.
VitConfiguration readVitConfiguration(const StateDict& state, VitNames names,
                                      const std::string& network);

}  // namespace softscope
