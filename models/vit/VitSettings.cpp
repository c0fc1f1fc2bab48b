#include "models/vit/VitSettings.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/Metadata.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedSetting.h"
#include "models/vit/PublishedVits.h"
#include "models/vit/VitLayout.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace softscope {

namespace {

/// timm's key of the size of a network's pictures.
constexpr const char* vitPicturesKey = "img_size";

struct NamedActivation {
  const char* name;
  VitActivation activation;
};

constexpr NamedActivation vitActivations[] = {
    {"gelu", VitActivation::Gelu}, {"gelu_tanh", VitActivation::TanhGelu},
    {"relu", VitActivation::Relu}, {"quick_gelu", VitActivation::QuickGelu},
    {"silu", VitActivation::Silu},
};

std::vector<std::string> activationNames() {
  std::vector<std::string> names;
  for (const NamedActivation& known : vitActivations) names.push_back(known.name);
  return names;
}

VitActivation activationNamed(const std::string& name) {
  const auto* known =
      std::find_if(std::begin(vitActivations), std::end(vitActivations),
                   [&](const NamedActivation& entry) { return entry.name == name; });
  return known == std::end(vitActivations) ? VitActivation::Gelu : known->activation;
}

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

/// Explains why nothing determines a value, if names and shapes could be any network's.
std::string unpublishedText() {
  return "nobody published a network of these sizes, and no weight tells it";
}

/// Uses what a family knows of a setting. Returns false if it knows nothing.
bool usesFact(const std::optional<VitFact>& fact, SettingKnowledge& known) {
  if (!fact) return false;
  known.usual = fact->value;
  known.reason = fact->source;
  known.isCertain = fact->isCertain;
  return true;
}

/// Uses what published sizes and names say of the activation.
void usePublishedActivation(const VitAuthority& authority, SettingKnowledge& known) {
  known.isCertain = authority.tells();
  if (authority.tells()) known.reason = authority.source();
  if (authority.published) {
    const std::vector<std::string>& activations = authority.published->activations;
    known.usual = activations.front();
    if (activations.size() > 1 && !authority.named) {
      known.isCertain = false;
      known.reason =
          "CLIP was trained with GELU and with QuickGELU in networks of these sizes, and no weight "
          "tells it";
    }
  }
  if (authority.named) known.usual = activationOfNamed(authority.named->architecture);
}

/// timm's key of the class of a block's mlp.
constexpr const char* mlpKey = "mlp_layer";

/// Returns true for timm's names of networks with SwiGLU in their mlps.
bool isNameOfGated(const std::string& architecture) {
  const auto has = [&](const char* part) { return architecture.find(part) != std::string::npos; };
  return has("_giant_") && (has("dinov2") || has("tipsv2"));
}

/// Returns true if all published networks of this name or these sizes have SwiGLU in their mlps.
/// Other names and sizes are of networks without gates, and tell nothing of one.
bool hasPublishedGate(const VitConfiguration& configuration, const VitAuthority& authority) {
  constexpr int widthOfGiant = 1536;
  constexpr int hiddenOfGiant = 4096;
  const bool isGiant = authority.published && configuration.channels == widthOfGiant &&
                       configuration.hidden == hiddenOfGiant;
  return isGiant || (authority.named && isNameOfGated(authority.named->architecture));
}

/// Uses what is known of the activation of a gate that mayGateOtherwise(). timm gives its mlps the
/// activation of the whole network, whatever that of the mlp's class is by itself.
void useTimmsGate(const VitAuthority& authority, const ConfigurationFile* said,
                  SettingKnowledge& known) {
  known.reason = "timm's gates may have any activation, and no weight tells it";
  if (configuredClass(said, mlpKey).empty()) return;
  known.usual = "gelu";
  if (!authority.named) return;
  const std::string& name = authority.named->architecture;
  known.usual = isNameOfGated(name) ? "silu" : activationOfNamed(name);
  known.reason = authority.source();
  known.isCertain = true;
}

NetworkSetting settleActivation(VitConfiguration& configuration, const VitAuthority& authority,
                                bool isGateOpen, const ModelHints& hints) {
  SettingKnowledge known{.usual = configuration.isGated ? "silu" : "gelu",
                         .reason = unpublishedText()};
  known.choices = activationNames();
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  if (isGateOpen) {
    useTimmsGate(authority, said, known);
  } else if (!usesFact(configuration.facts.activation, known)) {
    usePublishedActivation(authority, known);
  }
  NetworkSetting setting = resolveActivation(std::move(known), said, hints);
  configuration.activation = activationNamed(setting.value);
  return setting;
}

/// Returns true if a gated mlp's activation is open: timm gives its ViT's gates the activation of
/// all mlps, which is GELU unless a network says SiLU, as DINOv2's do. DINOv2's own names,
/// `mlp.w12`, have SiLU alone.
bool mayGateOtherwise(const VitConfiguration& configuration, const VitAuthority& authority,
                      const ModelHints& hints) {
  const VitNames& names = configuration.names;
  const bool isTimms = configuration.isGated && !names.configuresGate && names.library.empty() &&
                       names.block.expand.starts_with("mlp.fc1") && !configuration.facts.activation;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const bool isSaid =
      said != nullptr && !(said->activation.empty() && configuredClass(said, mlpKey).empty());
  return isTimms && (isSaid || !hasPublishedGate(configuration, authority));
}

/// Settles which half of a packed gate the activation acts on, which the file's metadata or
/// config.json may tell and no option.
NetworkSetting settleGate(VitConfiguration& configuration, const VitAuthority& authority,
                          const ModelHints& hints) {
  constexpr const char* key = "gate_last";
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  auto told = toldFlag(key, said, hints);
  const std::string mlp = configuredClass(said, mlpKey);
  if (!told && !mlp.empty()) told = mlp == "glumlp";
  configuration.isGateLast = told.value_or(false);
  const char* value = configuration.isGateLast ? "true" : "false";
  if (told) return toldSetting(key, value, hints);
  if (hasPublishedGate(configuration, authority)) {
    return {.option = key, .value = value, .source = authority.source(), .choices = {}, .why = {}};
  }
  return {.option = key,
          .value = value,
          .source = "assumed",
          .choices = {},
          .why =
              "timm's GluMlp gates with the second half of the mlp's first product and "
              "SwiGLUPacked with the first, which config.json or the file's metadata tell, and "
              "no weight does"};
}

NetworkSetting settleEpsilon(VitConfiguration& configuration, const VitAuthority& authority,
                             const ModelHints& hints) {
  SettingKnowledge known{.reason = authority.tells() ? authority.source() : unpublishedText()};
  known.isCertain = authority.tells();
  // timm's CLIP has another epsilon than its other networks, with a norm before the blocks or not.
  if (authority.named && configuration.names.library.empty()) {
    const bool isClip = authority.named->architecture.find("_clip_") != std::string::npos;
    configuration.epsilon = isClip ? 1e-5 : 1e-6;
  }
  usesFact(configuration.facts.epsilon, known);
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const auto told = said != nullptr ? said->epsilon : std::nullopt;
  return resolveEpsilon(std::move(known), told, hints, configuration.epsilon);
}

NetworkSetting settleNorm(VitConfiguration& configuration, const VitAuthority& authority,
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

/// Returns the head's input that the weights themselves reveal, and how they do; nothing if they do
/// not. A norm of what is pooled and an absent class token make the mean likely, and tell it in
/// networks whose code is known.
std::optional<VitFact> poolingInWeights(const VitConfiguration& configuration,
                                        const VitAuthority& authority) {
  const VitNames& names = configuration.names;
  const bool isKnown = authority.tells() || !names.library.empty();
  if (configuration.pooling == VitPooling::Both) return VitFact{"both", "by the head's width"};
  if (!names.pool.layer.empty()) return VitFact{"map", "by " + names.pool.layer};
  if (!names.poolingNorm.empty()) {
    if (isKnown) return VitFact{"mean", "by " + names.poolingNorm};
    return VitFact{"mean", names.poolingNorm + " may be of anything that is pooled", false};
  }
  if (!configuration.classToken) {
    if (isKnown) return VitFact{"mean", "since there is no class token"};
    return VitFact{"mean", "no weight tells how patches are pooled", false};
  }
  if (configuration.distillationToken) {
    return VitFact{"cls", "since there is a distillation token"};
  }
  if (!names.library.empty()) {
    return VitFact{"cls", "as in " + names.library + " library, whose names these are"};
  }
  return std::nullopt;
}

/// Returns what is known of the head's input before config.json is consulted.
SettingKnowledge knownPooling(const VitConfiguration& configuration,
                              const VitAuthority& authority) {
  SettingKnowledge known{.option = "pooling", .usual = "cls", .reason = unpublishedText()};
  const bool areWeightsAsked =
      configuration.pooling == VitPooling::Both || !configuration.facts.pooling;
  const auto told = areWeightsAsked ? poolingInWeights(configuration, authority) : std::nullopt;
  if (!usesFact(told ? told : configuration.facts.pooling, known)) {
    known.isCertain = authority.tells();
    if (authority.tells()) known.reason = authority.source();
  }
  return known;
}

/// Returns the inputs that a head of these parts may have, as `--pooling` calls them. A norm of
/// what is pooled may follow the class token as well as the mean.
std::vector<std::string> possiblePoolings(const VitConfiguration& configuration,
                                          const SettingKnowledge& known) {
  const bool isBound = known.usual == "both" || known.usual == "map" ||
                       configuration.distillationToken ||
                       (known.isCertain && !configuration.names.library.empty());
  if (isBound) return {known.usual};
  // Without classes, the input is projected to CLIP's shared space, whose code knows no others.
  if (configuration.classes == 0) return {"cls", "mean"};
  if (!configuration.classToken) return {"mean", "max", "avgmax"};
  return {"cls", "mean", "max", "avgmax"};
}

VitPooling vitPoolingNamed(const std::string& name, VitPooling otherwise) {
  constexpr std::pair<std::string_view, VitPooling> known[] = {
      {"cls", VitPooling::ClassToken},
      {"mean", VitPooling::Patches},
      {"max", VitPooling::Largest},
      {"avgmax", VitPooling::MeanAndLargest},
  };
  for (const auto& [word, pooling] : known) {
    if (name == word) return pooling;
  }
  return otherwise;
}

NetworkSetting settlePooling(VitConfiguration& configuration, const VitAuthority& authority,
                             const ModelHints& hints) {
  if (configuration.pooling == VitPooling::Both && !configuration.names.poolingNorm.empty()) {
    throw ModelError("its head sees twice the width, and nothing tells which half " +
                     configuration.names.poolingNorm + " acts on; " + recordingAdvice());
  }
  SettingKnowledge known = knownPooling(configuration, authority);
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const std::vector<std::string> possible = possiblePoolings(configuration, known);
  // A head of twice the width sees class token and mean, whatever timm's word for it is.
  const SettingKnowledge all{.option = known.option, .choices = possible};
  if (!isToldBeforeConfiguration(all, hints) && known.usual != "both") {
    requireConfiguredPooling(said, possible, "this network");
  }
  known.configured = configuredPooling(said);
  // A known input is no choice, unless someone asks for another or says that it is another.
  const auto isNamed = [&](const std::string& one) {
    const auto kept = hints.metadata.find("pooling");
    const auto asked = hints.settings.find("pooling");
    return known.configured == one || (kept != hints.metadata.end() && kept->second == one) ||
           (asked != hints.settings.end() && asked->second == one);
  };
  for (const std::string& one : possible) {
    if (!known.isCertain || one == known.usual || isNamed(one)) known.choices.push_back(one);
  }
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.pooling = vitPoolingNamed(setting.value, configuration.pooling);
  return setting;
}

/// Settles whether the norm behind the blocks acts on tokens or on their mean, which is projected
/// to CLIP's shared space. Returns nothing if the class token is, which both leave the same.
std::optional<NetworkSetting> settleNormOfFeatures(VitConfiguration& configuration,
                                                   const ModelHints& hints) {
  if (configuration.pooling != VitPooling::Patches) return std::nullopt;
  constexpr const char* key = "final_ln_after_pool";
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  SettingKnowledge known{.option = "final-norm", .usual = "tokens"};
  known.reason =
      std::string("OpenCLIP may norm what is pooled (") + key + "), and no weight tells it";
  known.choices = {"tokens", "pooled"};
  if (said != nullptr && said->isOpenClips()) {
    known.configured = configuredValue(said, key) == "true" ? "pooled" : "tokens";
  }
  NetworkSetting setting = resolveSetting(known, hints);
  configuration.normsPooled = setting.value == "pooled";
  return setting;
}

/// Returns what config.json says of the number of prefix tokens that have positions, directly or by
/// the size of the pictures.
std::optional<int> saidPlacedPrefix(const VitConfiguration& configuration,
                                    const ConfigurationFile* said) {
  if (said == nullptr) return std::nullopt;
  const int all = configuration.prefixTokens();
  const std::string isWithout = configuredValue(said, "no_embed_class");
  if (!isWithout.empty()) return isWithout == "true" ? 0 : all;
  std::vector<int> sides = numbersInMetadata(said->values, "img_size");
  if (sides.empty() && said->transform.height && said->transform.width) {
    sides = {*said->transform.height, *said->transform.width};
  }
  if (sides.empty()) return std::nullopt;
  const int patches = (sides.front() / configuration.patch) * (sides.back() / configuration.patch);
  const int placed = configuration.prefixPositions + configuration.positions - patches;
  return placed == 0 || placed == all ? std::optional(placed) : std::nullopt;
}

/// Returns what timm's name of a network tells of it likewise, if config.json leaves out what is
/// usual.
std::optional<int> namedPlacedPrefix(const VitConfiguration& configuration,
                                     const ConfigurationFile* said) {
  const std::string name = said == nullptr ? "" : said->architecture;
  if (name.starts_with("flexivit_")) return 0;
  const bool isKnown =
      name.starts_with("vit_") || name.starts_with("deit_") || name.starts_with("eva");
  return isKnown ? std::optional(configuration.prefixTokens()) : std::nullopt;
}

/// Settles how many of the prefix tokens have positions under timm's names. A table whose entries
/// form a square is of patches alone, or of the prefix tokens and patches that form no square, such
/// as 1 + 4 x 6 for 5 x 5. Returns nothing if it is not open.
std::optional<NetworkSetting> settlePlacedPrefix(VitConfiguration& configuration,
                                                 const ModelHints& hints) {
  const VitNames& names = configuration.names;
  const int all = configuration.prefixTokens();
  const int entries = configuration.prefixPositions + configuration.positions;
  const bool isTimms = names.library.empty() && !names.hasFlatTokens && !names.addsRegistersLater;
  if (!isTimms || names.positions.empty() || all == 0) return std::nullopt;
  const ConfigurationFile* said = configurationFor(configuration.channels, hints);
  const auto told = saidPlacedPrefix(configuration, said);
  const auto place = [&](int count) {
    configuration.prefixPositions = count;
    configuration.positions = entries - count;
  };
  const bool isOpen = configuration.prefixPositions > 0 && arePatchesAlone(entries, all);
  const std::string option = "prefix-positions";
  const std::string read = std::to_string(configuration.prefixPositions);
  const std::string positions = std::to_string(entries) + " positions";
  // A table of no square may be of patches alone all the same.
  const bool isAsked = hints.settings.contains(option) || hints.metadata.contains(option);
  const bool isRead = !told || *told == configuration.prefixPositions;
  if (!isOpen && isRead && !isAsked) return std::nullopt;
  SettingKnowledge known{.option = option, .usual = read};
  known.isCertain = !isOpen;
  known.reason = isOpen ? "its " + positions +
                              " may be of patches alone, which form a square, or of the tokens "
                              "before them and patches that form none"
                        : "by its " + positions;
  known.choices = {std::to_string(all), "0"};
  const auto count = told || !isOpen ? told : namedPlacedPrefix(configuration, said);
  if (count) known.configured = std::to_string(*count);
  NetworkSetting setting = resolveSetting(known, hints);
  place(std::stoi(setting.value));
  return setting;
}

/// Returns the sides of the pictures that a network was trained on as the file's metadata or
/// config.json tell them: height and width, or one number for both; empty if neither does. The size
/// in preprocessor_config.json is that of a later use.
std::vector<int> saidVitSides(const ConfigurationFile* said, const ModelHints& hints) {
  std::vector<int> sides = numbersInMetadata(hints.metadata, vitPicturesKey);
  if (said == nullptr || !sides.empty()) return sides;
  for (const char* key : {vitPicturesKey, "image_size"}) {
    if (sides.empty()) sides = numbersInMetadata(said->values, key);
  }
  const ConfiguredTransform& transform = said->transform;
  const bool isOfNetwork = said->transformFile == said->fileName;
  if (!sides.empty() || !isOfNetwork || !transform.height || !transform.width) return sides;
  return {*transform.height, *transform.width};
}

/// Settles the only grid of positions: that of pictures that are not square, which the number of
/// positions does not tell, as 2 x 8 patches have as many as 4 x 4, or one that the family knows.
/// Returns nothing if they may be resized from a square.
std::optional<NetworkSetting> settleVitGrid(VitConfiguration& configuration,
                                            const ModelHints& hints) {
  const TokenGrid& only = configuration.onlyGrid;
  const int patch = configuration.patch;
  if (only.count() > 0) {
    const std::vector<int> sides{only.height * patch, only.width * patch};
    return toldSetting(vitPicturesKey, listedNumbers(sides), hints);
  }
  const bool isOpen = !configuration.names.positions.empty() &&
                      !configuration.takesTablesForSquares && configuration.biasSide == 0;
  if (!isOpen) return std::nullopt;
  const std::vector<int> sides =
      saidVitSides(configurationFor(configuration.channels, hints), hints);
  if (sides.size() != 2) return std::nullopt;
  const TokenGrid grid{sides[0] / patch, sides[1] / patch};
  // `convert` keeps the only grid of a network, which may be a square.
  const bool isKept =
      isWrittenBySoftscope(hints.metadata) && hints.metadata.contains(vitPicturesKey);
  const bool isOnly = isKept || grid.height != grid.width;
  if (!isOnly || grid.count() != configuration.positions) return std::nullopt;
  configuration.onlyGrid = grid;
  return toldSetting(vitPicturesKey, listedNumbers(sides), hints);
}

/// Throws ModelError if config.json names other norms than layer norms.
void requireLayerNorm(const ConfigurationFile* said, const std::string& network) {
  constexpr const char* key = "norm_layer";
  if (configuredClass(said, key).starts_with("rmsnorm")) {
    throw ModelError(said->fileName + " beside the file says " + key + " " +
                     quotedText(configuredValue(said, key)) +
                     ", which --arch structure computes; otherwise " + recordingAdvice());
  }
  requireConfiguredClass(said, key, {"LayerNorm", "LayerNormFp32", "LN"}, network);
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
  const VitBlockNames& names = configuration.names.block;
  if (!configuration.names.library.empty() || !names.expand.starts_with("mlp.fc1")) return;
  std::vector<std::string> mlps{"Mlp"};
  if (configuration.isGated) {
    mlps = names.gate.empty() ? std::vector<std::string>{"GluMlp", "SwiGLUPacked"}
                              : std::vector<std::string>{"SwiGLU"};
  }
  requireConfiguredClass(said, mlpKey, mlps, network);
}

/// Settles the activation between the two products of a head, which torchvision's code fixes.
NetworkSetting settleHeadActivation(const VitConfiguration& configuration,
                                    const ModelHints& hints) {
  SettingKnowledge known{.option = "head-activation", .usual = "tanh"};
  known.choices = {"tanh"};
  known.isCertain = true;
  known.reason = "as in " + configuration.names.library + " library, whose names these are";
  return resolveSetting(known, hints);
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

DefaultHeads defaultVitHeads(const VitConfiguration& configuration, const std::string& network,
                             const ModelHints& hints) {
  const VitAuthority authority(configuration, hints);
  if (!authority.published) return unpublishedVitHeads(configuration.channels, network);
  const std::vector<int>& heads = authority.published->heads;
  if (heads.size() == 1) return certainHeads(heads.front(), authority.source());
  if (authority.named) {
    const bool isSiglip = authority.named->architecture.find("siglip") != std::string::npos;
    return certainHeads(isSiglip ? heads.front() : heads.back(), authority.named->source);
  }
  DefaultHeads usual{.heads = heads.front(), .reason = {}, .possible = heads};
  for (const int other : possibleHeads(configuration.channels)) {
    if (std::find(heads.begin(), heads.end(), other) == heads.end())
      usual.possible.push_back(other);
  }
  usual.reason = "published networks with these names and shapes have " +
                 std::to_string(heads.front()) + " heads (SigLIP's) or " +
                 std::to_string(heads.back()) + " (vit_base_patch16_gap_224)";
  return usual;
}

std::vector<NetworkSetting> settleVit(VitConfiguration& configuration, const ModelHints& hints) {
  refuseOtherVits(configuration, hints);
  requireTimmsParts(configuration, hints);
  const VitAuthority authority(configuration, hints);
  std::vector<NetworkSetting> settings;
  const bool isGateOpen = mayGateOtherwise(configuration, authority, hints);
  if (!configuration.isGated || configuration.names.configuresGate || isGateOpen) {
    settings.push_back(settleActivation(configuration, authority, isGateOpen, hints));
  }
  if (isGateOpen && configuration.names.block.gate.empty()) {
    settings.push_back(settleGate(configuration, authority, hints));
  }
  settings.push_back(settleEpsilon(configuration, authority, hints));
  settings.push_back(settleNorm(configuration, authority, hints));
  const bool projectsPooled =
      configuration.classes == 0 && !configuration.names.featureMatrix.empty();
  if (configuration.classes > 0 || projectsPooled) {
    settings.push_back(settlePooling(configuration, authority, hints));
  }
  if (configuration.headHidden > 0) settings.push_back(settleHeadActivation(configuration, hints));
  if (projectsPooled) {
    if (auto place = settleNormOfFeatures(configuration, hints)) settings.push_back(*place);
  }
  if (auto placed = settlePlacedPrefix(configuration, hints)) {
    settings.push_back(std::move(*placed));
  }
  if (auto grid = settleVitGrid(configuration, hints)) settings.push_back(std::move(*grid));
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

void describeSettings(const std::vector<NetworkSetting>& settings, ModelSummary& summary) {
  for (const NetworkSetting& setting : settings) describeSetting(setting, summary);
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
