#pragma once

#include "models/identify/Family.h"
#include "models/identify/ResolvedSetting.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitConfiguration.h"

#include <optional>
#include <string>

namespace softscope {

/// The source of everything that layouts leave open: published sizes, or a name.
struct VitAuthority {
  std::optional<PublishedVit> published;
  std::optional<NamedVit> named;

  VitAuthority(const VitConfiguration& configuration, const ModelHints& hints)
      : published(publishedVit(configuration)), named(namedVit(configuration, hints)) {}

  bool tells() const { return published || named; }
  std::string source() const {
    if (named) return named->source;
    return published ? "as in published networks of these sizes (" + published->size + ")" : "";
  }
};

/// Uses what a family knows of a setting. Returns false if it knows nothing.
bool usesFact(const std::optional<VitFact>& fact, SettingKnowledge& known);

/// timm's key of the class of a block's mlp.
inline constexpr const char* timmsMlpKey = "mlp_layer";

/// Returns true if a gated mlp's activation is open: timm gives its ViT's gates the activation of
/// all mlps, which is GELU unless a network says SiLU, as DINOv2's do. DINOv2's own names,
/// `mlp.w12`, have SiLU alone.
bool mayGateOtherwise(const VitConfiguration& configuration, const VitAuthority& authority,
                      const ModelHints& hints);

/// Resolves the activation of the mlps. `isGateOpen` is what mayGateOtherwise() returns.
NetworkSetting resolveVitActivation(VitConfiguration& configuration, const VitAuthority& authority,
                                    bool isGateOpen, const ModelHints& hints);

/// Resolves which half of a packed gate the activation acts on, which the file's metadata or
/// config.json may tell and no option.
NetworkSetting resolveGate(VitConfiguration& configuration, const VitAuthority& authority,
                           const ModelHints& hints);

/// Resolves what the head sees: the class token, the patches' mean or largest values, or several of
/// these. Throws ModelError for what Softscope does not compute.
NetworkSetting resolvePooling(VitConfiguration& configuration, const VitAuthority& authority,
                              const ModelHints& hints);

/// Resolves what the head sees behind a network of Hugging Face's (`VitFacts::libraryPooling`). It
/// is certain only of the library's own classifier, which config.json names.
NetworkSetting resolveLibraryPooling(VitConfiguration& configuration, const ModelHints& hints);

/// Resolves whether what is pooled includes the tokens before the patches, which the file's
/// metadata or config.json may tell and no option. Returns nothing if it is not open.
std::optional<NetworkSetting> resolvePrefixInPool(VitConfiguration& configuration,
                                                  const VitAuthority& authority,
                                                  const ModelHints& hints);

/// Resolves whether the norm behind the blocks acts on tokens or on their mean, which is projected
/// to CLIP's shared space. Returns nothing if the class token is, which both leave the same.
std::optional<NetworkSetting> resolveNormOfFeatures(VitConfiguration& configuration,
                                                    const ModelHints& hints);

/// Resolves how many of the prefix tokens have positions under timm's names. A table whose entries
/// form a square is of patches alone, or of the prefix tokens and patches that form no square, such
/// as 1 + 4 x 6 for 5 x 5. Returns nothing if it is not open.
std::optional<NetworkSetting> resolvePlacedPrefix(VitConfiguration& configuration,
                                                  const ModelHints& hints);

/// Resolves the only grid of positions: that of pictures that are not square, which the number of
/// positions does not tell, as 2 x 8 patches have as many as 4 x 4, or one that the family knows.
/// Returns nothing if they may be resized from a square.
std::optional<NetworkSetting> resolveVitGrid(VitConfiguration& configuration,
                                             const ModelHints& hints);

}  // namespace softscope
