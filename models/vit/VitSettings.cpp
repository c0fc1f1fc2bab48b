#include "models/vit/VitSettings.h"

#include "core/Error.h"
#include "core/model/SettingOption.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/StoredOptions.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitOpenSettings.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace softscope {

namespace {

NetworkSetting resolveVitEpsilon(VitConfiguration& configuration, const VitAuthority& authority,
                                 const ModelHints& hints) {
  SettingKnowledge known{.reason = authority.tells() ? authority.source() : unpublishedText()};
  known.isCertain = authority.tells();
  // timm's CLIP has another epsilon than its other networks, with a norm before the blocks or not.
  if (isFirstVitSmall(configuration)) {
    configuration.epsilon = 1e-5;
    known.isCertain = false;
    known.reason =
        "timm's first ViT-S has 1e-05, networks taken over from it 1e-06, and no weight tells it";
  } else if (authority.named && configuration.names.library.empty()) {
    const bool isClip = authority.named->architecture.find("_clip_") != std::string::npos;
    configuration.epsilon = isClip ? 1e-5 : 1e-6;
  }
  usesFact(configuration.facts.epsilon, known);
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const auto told = said != nullptr ? said->epsilon : std::nullopt;
  return resolveEpsilon(std::move(known), told, hints, configuration.epsilon);
}

NetworkSetting resolveNorm(VitConfiguration& configuration, const VitAuthority& authority,
                           const ModelHints& hints) {
  SettingKnowledge known{.option = "norm", .usual = "pre", .reason = unpublishedText()};
  known.choices = {"pre", "post"};
  known.isCertain = true;
  if (usesFact(configuration.facts.norm, known)) {
    known.choices = {known.usual};
  } else if (!configuration.names.library.empty()) {
    known.choices = {"pre"};
    known.reason = "as in " + configuration.names.library + " library, whose names these are";
  } else if (!configuration.names.block.scale1.empty()) {
    known.choices = {"pre"};
    known.reason = "as in all networks with layer scales of these names";
  } else if (authority.tells()) {
    known.reason = authority.source();
  } else {
    known.isCertain = false;
  }
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.normsAfter = setting.value == "post";
  return setting;
}

/// Resolves the scale of the products of queries and keys, which nobody asks about under timm's
/// names but for timm's first ViT-S, whose weights were trained with another. Returns nothing if
/// it is not open.
std::optional<NetworkSetting> resolveScale(VitConfiguration& configuration,
                                           const VitAuthority& authority, const ModelHints& hints) {
  const bool isFirst = isFirstVitSmall(configuration);
  SettingKnowledge known{.option = "scale",
                         .usual = isFirst ? "width" : "head",
                         .reason = isFirst ? "timm's first ViT-S was published with width, those "
                                             "trained since may have head, and no weight tells it"
                                           : unpublishedText(),
                         .choices = {"head", "width"}};
  const bool isCustom = !authority.tells() && configuration.names.library.empty();
  const bool isAsked = isCustom && isToldBeforeConfiguration(known, hints);
  if (configuration.sima || !(isFirst || isAsked)) return std::nullopt;
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.scalesByWidth = setting.value == "width";
  return setting;
}

/// Throws ModelError if config.json names other norms than layer norms.
void requireLayerNorm(const ConfigurationFile* said, const std::string& network) {
  constexpr const char* key = "norm_layer";
  if (configuredClass(said, key).starts_with("rmsnorm")) {
    throw ModelError(said->place() + " says " + key + " " + quotedText(configuredValue(said, key)) +
                     ", which --arch structure computes; otherwise " + recordingAdvice());
  }
  requireConfiguredClass(said, key, {"LayerNorm", "LayerNormFp32", "LN"}, network);
}

/// Throws ModelError if config.json leaves parts of timm's network out, which the file then lacks
/// as a damaged one would.
void requireTimmsUsualParts(const VitConfiguration& configuration, const ConfigurationFile* said,
                            const std::string& network) {
  requireConfigured(said, "final_norm", {"true"}, network);
  requireConfigured(said, "use_post_norm", {"false"}, network);
  requireConfigured(said, "pos_embed", {"learn"}, network);
  if (!configuration.names.biasesVary) requireConfigured(said, "proj_bias", {"true"}, network);
}

/// Throws ModelError if config.json gives timm's network parts that have a plain ViT's parameters
/// and compute something else, or others than the weights are of. `--norm` says that the blocks are
/// as usual all the same.
void requireTimmsParts(const VitConfiguration& configuration, const ModelHints& hints) {
  const std::string network = "this network";
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const SettingKnowledge norm{.option = "norm", .choices = {"pre", "post"}};
  if (!isToldBeforeConfiguration(norm, hints)) requireConfiguredBlocks(said, network);
  requireLayerNorm(said, network);
  requireConfiguredClass(said, "embed_layer", {"PatchEmbed"}, network);
  if (configuration.names.library.empty()) requireTimmsUsualParts(configuration, said, network);
  const VitBlockNames& names = configuration.names.block;
  if (!configuration.names.library.empty() || !names.expand.starts_with("mlp.fc1")) return;
  std::vector<std::string> mlps{"Mlp"};
  if (configuration.isGated) {
    mlps = names.gate.empty() ? std::vector<std::string>{"GluMlp", "SwiGLUPacked"}
                              : std::vector<std::string>{"SwiGLU"};
  }
  requireConfiguredClass(said, timmsMlpKey, mlps, network);
}

/// Throws ModelError for an EVA-02 by its name in config.json whose names are a plain ViT's, as
/// they are without biases of queries and keys: it rotates these by their positions all the same.
void refuseUnrotatedEva02(const VitConfiguration& configuration, const ModelHints& hints) {
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const bool isEva02 = said != nullptr && configuration.names.library.empty() &&
                       said->architecture.starts_with("eva02");
  const bool rotates = configuration.rotary.form != RotaryPositions::Form::None;
  if (!isEva02 || rotates || toldFlag(evaRotatesKey, said, hints) == false) return;
  throw ModelError("this is an EVA-02, since " + said->place() + " says " +
                   quotedText(said->architecture) +
                   ", and under a plain ViT's names Softscope does not compute its rotation of "
                   "queries and keys (" +
                   evaRotatesKey + "); " + recordingAdvice());
}

/// Resolves the activation between the two products of a head, which torchvision's code fixes, as
/// Hugging Face's does that behind a pooler unless config.json says otherwise.
NetworkSetting resolveHeadActivation(const VitConfiguration& configuration,
                                     const ModelHints& hints) {
  SettingKnowledge known{.option = "head-activation", .usual = "tanh"};
  known.choices = {"tanh"};
  known.isCertain = true;
  known.reason = "as in " + configuration.names.library + " library, whose names these are";
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  requireConfigured(said, "pooler_act", known.choices, "this network");
  return resolveSetting(known, hints);
}

/// Resolves the epsilon of the batch norm in front of the head, which no option chooses.
NetworkSetting resolveHeadNorm(VitConfiguration& configuration, const ModelHints& hints) {
  ModelSummary head;
  const std::string epsilon = resolveStoredOption(
      {.key = "head_norm_eps",
       .usual = numberText(configuration.headNormEpsilon),
       .isCertain = false,
       .reason = "the batch norm in front of the head may have any epsilon, as no weight tells; "
                 "that of MAE's linear probes is 1e-06",
       .network = "MAE's linear probes",
       .computed = {"a number of at least 0 and below 1"},
       .accepts = [](const std::string& text) { return parseEpsilon(text).has_value(); }},
      hints, head);
  configuration.headNormEpsilon = *parseEpsilon(epsilon);
  return head.settings.front();
}

/// Returns that the encoder of a masked autoencoder is opened.
NetworkSetting resolvePart(const ModelHints& hints) {
  return resolveSetting({.option = "part",
                         .usual = "encoder",
                         .reason = "since the decoder is left out",
                         .isCertain = true,
                         .choices = {"encoder"}},
                        hints);
}

/// Returns as many heads as published networks of this width have. Narrow networks whose channels
/// are not divisible by 64 get 4 heads, as most self-written ones have.
DefaultHeads unpublishedVitHeads(int channels, const std::string& network) {
  constexpr int narrow = 256;
  constexpr int usualHead = 64;
  constexpr int commonHeads = 4;
  DefaultHeads assumed = assumedHeads(channels, network);
  if (const auto heads = publishedHeadsOfWidth(channels)) {
    assumed.heads = *heads;
  } else if (channels % usualHead != 0 && channels <= narrow && channels % commonHeads == 0) {
    assumed.heads = commonHeads;
  }
  return assumed;
}

}  // namespace

bool usesFact(const std::optional<VitFact>& fact, SettingKnowledge& known) {
  if (!fact) return false;
  known.usual = fact->value;
  known.reason = fact->source;
  known.isCertain = fact->isCertain;
  return true;
}

DefaultHeads defaultVitHeads(const VitConfiguration& configuration, const std::string& network,
                             const ModelHints& hints) {
  const VitAuthority authority(configuration, hints);
  if (!authority.published) return unpublishedVitHeads(configuration.channels, network);
  const std::vector<int>& heads = authority.published->heads;
  if (heads.size() == 1) return certainHeads(heads.front(), authority.source());
  if (authority.named) {
    const bool isSiglip = authority.named->architecture.find("siglip") != std::string::npos;
    const bool isUsual = isSiglip || configuration.classToken;
    return certainHeads(isUsual ? heads.front() : heads.back(), authority.named->source);
  }
  const std::vector<std::string>& owners = authority.published->owners;
  DefaultHeads usual{.heads = heads.front(), .reason = {}, .possible = heads};
  for (const int other : possibleHeads(configuration.channels)) {
    if (std::find(heads.begin(), heads.end(), other) == heads.end())
      usual.possible.push_back(other);
  }
  usual.reason = "published networks with these names and shapes have " +
                 std::to_string(heads.front()) + " heads (" + owners.front() + ") or " +
                 std::to_string(heads.back()) + " (" + owners.back() + ")";
  return usual;
}

std::vector<NetworkSetting> resolveVit(VitConfiguration& configuration, const ModelHints& hints) {
  refuseOtherVits(configuration, hints);
  refuseUnrotatedEva02(configuration, hints);
  requireTimmsParts(configuration, hints);
  const VitAuthority authority(configuration, hints);
  std::vector<NetworkSetting> settings;
  const bool isGateOpen = mayGateOtherwise(configuration, authority, hints);
  if (!configuration.isGated || configuration.names.configuresGate || isGateOpen) {
    settings.push_back(resolveVitActivation(configuration, authority, isGateOpen, hints));
  }
  if (isGateOpen && configuration.names.block.gate.empty()) {
    settings.push_back(resolveGate(configuration, authority, hints));
  }
  settings.push_back(resolveVitEpsilon(configuration, authority, hints));
  settings.push_back(resolveNorm(configuration, authority, hints));
  if (auto scale = resolveScale(configuration, authority, hints)) {
    settings.push_back(std::move(*scale));
  }
  const bool projectsPooled =
      configuration.classes == 0 && !configuration.names.featureMatrix.empty();
  if (configuration.classes > 0 && !configuration.facts.libraryPooling.empty()) {
    settings.push_back(resolveLibraryPooling(configuration, hints));
  } else if (configuration.classes > 0 || projectsPooled) {
    settings.push_back(resolvePooling(configuration, authority, hints));
  }
  if (auto pooled = resolvePrefixInPool(configuration, authority, hints)) {
    settings.push_back(std::move(*pooled));
  }
  if (configuration.headHidden > 0) settings.push_back(resolveHeadActivation(configuration, hints));
  if (!configuration.names.headNorm.empty()) {
    settings.push_back(resolveHeadNorm(configuration, hints));
  }
  if (configuration.hasDecoder) settings.push_back(resolvePart(hints));
  if (projectsPooled) {
    if (auto place = resolveNormOfFeatures(configuration, hints)) settings.push_back(*place);
  }
  if (auto placed = resolvePlacedPrefix(configuration, hints)) {
    settings.push_back(std::move(*placed));
  }
  if (auto grid = resolveVitGrid(configuration, hints)) settings.push_back(std::move(*grid));
  return settings;
}

NetworkSetting guessedEvaRotation(bool rotates) {
  return {.option = evaRotatesKey,
          .value = rotates ? "true" : "false",
          .source = "assumed",
          .choices = {},
          .why =
              "timm's EVA may rotate queries and keys by their positions or not, which config.json "
              "or the file's metadata tell, and no weight does"};
}

std::vector<std::string> pixelNormsOfVits(const VitConfiguration& configuration) {
  const auto published = publishedVit(configuration);
  const bool isLarge = published && published->size == "large";
  if (!configuration.names.normBefore.empty()) {
    return isLarge ? std::vector<std::string>{"clip", "half"} : std::vector<std::string>{"clip"};
  }
  if (!configuration.names.pool.layer.empty()) return {"half"};
  if (!configuration.names.block.scale1.empty()) {
    if (configuration.patch == 14) {
      return configuration.registers == 1 ? std::vector<std::string>{"none", "imagenet"}
                                          : std::vector<std::string>{"imagenet"};
    }
    return {"imagenet", "half"};
  }
  return {"half", "imagenet"};
}

}  // namespace softscope
