#pragma once

#include "models/identify/Family.h"
#include "models/vit/VitConfiguration.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What published vision transformers of a width, depth, hidden width and patch have that weights
/// do not tell; several values where networks of the same layout differ, the likeliest first.
struct PublishedVit {
  std::string size;  ///< as in their names: `base`
  std::vector<int> heads;
  std::vector<std::string> activations;  ///< as in `--activation`
};

/// Nothing where nobody published a network of these sizes.
std::optional<PublishedVit> publishedVit(const VitConfiguration& configuration);

/// `vit_base`; empty where nobody published a network of these sizes.
std::string publishedVitName(const VitConfiguration& configuration);

/// Heads of published networks of a width, whatever their depth; nothing for other widths.
std::optional<int> publishedHeadsOfWidth(int channels);

/// The vision transformer that somebody says a file is of, and who.
struct NamedVit {
  std::string architecture;  ///< timm's name: `vit_base_patch16_224`
  std::string source;        ///< to stand behind a value: `by config.json, which says ...`
};

/// By the config.json beside the file, its metadata or its own name, if the sizes are not others
/// than that network's.
std::optional<NamedVit> namedVit(const VitConfiguration& configuration, const ModelHints& hints);

/// Throws ModelError for vit_base_patch16_rpn_224, told by its name or by its layout: its names are
/// other networks', but its norms stand behind what they norm. `--norm` says that it is none.
void refuseResidualPostNorm(const VitConfiguration& configuration, const ModelHints& hints);

}  // namespace softscope
