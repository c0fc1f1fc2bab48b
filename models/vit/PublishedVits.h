#pragma once

#include "models/identify/Family.h"
#include "models/vit/VitConfiguration.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Properties of published vision transformers with a given width, depth, hidden width and patch
/// that weights do not determine. Several values if networks of the same layout differ, the most
/// likely first.
struct PublishedVit {
  std::string size;  ///< as in their names: `base`
  std::vector<int> heads;
  /// The owners of each number of heads, if there are several: `MoCo v3's`.
  std::vector<std::string> owners;
  std::vector<std::string> activations;  ///< as in `--activation`
};

/// Returns the published network; nothing if no one has published one with these sizes.
std::optional<PublishedVit> publishedVit(const VitConfiguration& configuration);

/// Returns true for the sizes of timm's first ViT-S/16, of 2020, and of networks taken over from
/// it: its scale and epsilon are not those of later networks.
bool isFirstVitSmall(const VitConfiguration& configuration);

/// Returns `vit_base`; empty if no one has published a network with these sizes.
std::string publishedVitName(const VitConfiguration& configuration);

/// Explains why nothing determines a value, if names and shapes could be any network's.
std::string unpublishedText();

/// Returns a value that all published networks of a family have, and which `source` explains. It is
/// certain of networks of their sizes, and of those that a configuration names without saying
/// another; any other may differ. `said` may be null.
VitFact factOfPublished(const VitConfiguration& configuration, const ConfigurationFile* said,
                        const std::string& value, const std::string& source);

/// Returns the heads of published networks with this width, at any depth; nothing for other widths.
std::optional<int> publishedHeadsOfWidth(int channels);

/// The vision transformer that a file is said to hold, and the source of that.
struct NamedVit {
  std::string architecture;  ///< timm's name: `vit_base_patch16_224`
  std::string source;        ///< text after a value: `by config.json, which says ...`
};

/// Returns the activation of timm's network of this name, as in `--activation`, at any sizes.
std::string activationOfNamed(const std::string& architecture);

/// Returns the network named by the config.json beside the file, by its metadata or by its own
/// name, unless its sizes differ from that network's.
std::optional<NamedVit> namedVit(const VitConfiguration& configuration, const ModelHints& hints);

/// Throws ModelError like refuseOtherVits() for the names alone of a network with these channels,
/// under whatever names its parameters are.
void refuseNamesOfOtherVits(int channels, const ModelHints& hints);

/// Throws ModelError for timm's networks whose parameters may be called as those of other networks,
/// but which compute something else, recognised by their names: norms behind what they normalise,
/// other rotary positions, attention and mlp side by side, other norms. The layout of
/// vit_base_patch16_rpn_224 is recognised as well. Does nothing if `--norm` is given, which says
/// that it is another network.
void refuseOtherVits(const VitConfiguration& configuration, const ModelHints& hints);

}  // namespace softscope
