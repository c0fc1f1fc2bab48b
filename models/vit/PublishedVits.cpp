#include "models/vit/PublishedVits.h"

#include "core/Error.h"
#include "core/text/Names.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/GivenNames.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>

namespace softscope {

namespace {

struct PublishedSize {
  const char* size;
  int channels;
  std::size_t depth;
  int hidden;  ///< of one half, if the mlp is gated
  int heads;
  std::array<int, 4> patches;  ///< 0 after the last
};

/// Sizes of ViT, DeiT, DINO, MAE, CLIP, SigLIP and DINOv2, all of which are in timm's library, and
/// of timm's own networks.
constexpr PublishedSize publishedSizes[] = {
    {"tiny", 192, 12, 768, 3, {16}},
    {"small", 384, 12, 1536, 6, {16, 32, 8, 14}},
    {"small", 384, 36, 1536, 6, {16}},
    {"base", 768, 12, 3072, 12, {16, 32, 8, 14}},
    {"small", 768, 8, 2304, 8, {16}},
    {"base_plus", 896, 12, 3584, 14, {16, 32}},
    {"large", 1024, 24, 4096, 16, {16, 14, 32}},
    {"huge", 1280, 32, 5120, 16, {14, 16}},
    {"giant", 1408, 40, 6144, 16, {14, 16}},
    {"giant", 1536, 40, 4096, 24, {14}},
    {"giantopt", 1536, 40, 6144, 16, {16}},
    {"gigantic", 1664, 48, 8192, 16, {14}},
    {"so150m", 896, 18, 2304, 14, {16}},
    {"so150m2", 832, 21, 2176, 13, {16}},
    {"so400m", 1152, 27, 4304, 16, {14, 16}},
    {"xsmall", 256, 10, 1024, 4, {16}},
    {"wee", 256, 14, 1280, 4, {16}},
    {"little", 320, 14, 1792, 5, {16}},
    {"medium", 512, 12, 2048, 8, {16, 32}},
    {"mediumd", 512, 20, 2048, 8, {16}},
    {"betwixt", 640, 12, 2560, 10, {16, 32}},
    {"test", 64, 6, 192, 2, {16}},
    {"test", 64, 8, 192, 2, {16}},
    {"test", 96, 9, 192, 3, {16}},
};

const PublishedSize* sizeOf(const VitConfiguration& configuration) {
  const auto found = std::find_if(
      std::begin(publishedSizes), std::end(publishedSizes), [&](const PublishedSize& size) {
        return size.channels == configuration.channels &&
               size.depth == configuration.names.blocks.size() &&
               size.hidden == configuration.hidden && configuration.patch > 0 &&
               std::find(size.patches.begin(), size.patches.end(), configuration.patch) !=
                   size.patches.end();
      });
  return found == std::end(publishedSizes) ? nullptr : found;
}

/// Returns true if only patches exist, and their mean is classified after the usual norm: SigLIP's
/// networks without their pooling, and some of timm's.
bool hasPatchesAlone(const VitConfiguration& configuration) {
  const VitNames& names = configuration.names;
  return !configuration.classToken && !configuration.distillationToken &&
         configuration.registers == 0 && names.block.scale1.empty() && names.poolingNorm.empty() &&
         names.normBefore.empty();
}

bool isOneOf(std::string_view size, std::initializer_list<std::string_view> sizes) {
  return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
}

/// SigLIP's later networks use the tanh form, and are recognised by their layout.
std::vector<std::string> activationsOf(const VitConfiguration& configuration,
                                       std::string_view size) {
  if (!configuration.names.normBefore.empty() &&
      isOneOf(size, {"base", "large", "huge", "gigantic"})) {
    return {"gelu", "quick_gelu"};
  }
  const bool isLargest = size == "large" && configuration.positions == 32 * 32;
  const bool hasTanh = (size == "base" && configuration.patch == 32) || isLargest ||
                       (size == "so400m" && configuration.patch == 16) || size == "giantopt";
  return {hasPatchesAlone(configuration) && hasTanh ? "gelu_tanh" : "gelu"};
}

/// Returns true for a class token, patches and blocks that have nothing but what the first ViT had
/// under timm's names, which other libraries use for networks of their own.
bool isOfFirstLayout(const VitConfiguration& configuration) {
  const VitNames& names = configuration.names;
  return names.library.empty() && configuration.classToken && !configuration.distillationToken &&
         configuration.registers == 0 && names.block.scale1.empty() &&
         names.block.attentionNorm.empty() && names.normBefore.empty() &&
         names.pool.layer.empty() && !configuration.isGated && configuration.hasQueryBias() &&
         configuration.biasSide == 0 && configuration.rotary.form == RotaryPositions::Form::None;
}

/// Adds the heads of a published size. vit_base_patch16_gap_224 has the names and shapes of
/// SigLIP's base network, but different heads, as MoCo v3 and much-copied code of small MAEs have
/// others than DeiT's.
void addHeads(const VitConfiguration& configuration, const PublishedSize& size,
              PublishedVit& published) {
  const std::string_view name = size.size;
  const bool isBase = name == "base" && configuration.patch == 16;
  const bool mayHaveTwelve = (name == "small" || name == "tiny") && size.depth == 12 &&
                             configuration.patch == 16 && isOfFirstLayout(configuration);
  published.heads = {size.heads};
  if (isBase && hasPatchesAlone(configuration) && configuration.names.pool.layer.empty()) {
    published.heads = {12, 16};
    published.owners = {"SigLIP's", "vit_base_patch16_gap_224"};
  } else if (mayHaveTwelve) {
    published.heads = {size.heads, 12};
    published.owners = {name == "small" ? "DeiT's, DINO's and timm's" : "DeiT's and timm's",
                        name == "small" ? "MoCo v3's" : "those of MAE repositories"};
  }
}

bool isVitName(const std::string& name) {
  return name.starts_with("vit_") || name.starts_with("deit") || name.starts_with("flexivit_") ||
         name.starts_with("test_vit") || name.starts_with("eva_large_");
}

/// Returns true unless a name is but a size, and perhaps a patch, by which trainers call networks
/// of their own: `vit_small` of MoCo v3, `vit_tiny_patch16` of MAE repositories. timm's full names
/// go on with the side of pictures.
bool isFullName(const std::string& name) {
  if (!name.starts_with("vit_")) return true;
  constexpr std::size_t digitsOfSide = 3;
  std::size_t digits = 0;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    const bool isDigit = at < name.size() && name[at] >= '0' && name[at] <= '9';
    const bool endsPart = at == name.size() || name[at] == '_';
    if (endsPart && digits >= digitsOfSide && name[at - digits - 1] == '_') return true;
    digits = isDigit ? digits + 1 : 0;
  }
  return false;
}

/// Returns true if a name contains the word for the size: `small` in `vit_small_patch16_224`,
/// `deit_small_distilled`.
bool saysSize(const std::string& name, const std::string& size) {
  const std::string first = size.substr(0, size.find('_'));
  const bool hasAll = size != "base_plus" || name.find("_plus") != std::string::npos;
  return hasAll &&
         (name + "_").find((first == "test" ? "" : "_") + first + "_") != std::string::npos;
}

/// A network of timm's whose name alone says that it computes something else.
struct OtherVit {
  const char* pattern;  ///< for the architecture's name, as in matchesPattern()
  const char* example;
  const char* difference;  ///< as part of a sentence about the network
};

constexpr const char* residualPostNorm =
    "its norms stand behind attention and mlp, before their results are added (residual post-norm)";
constexpr const char* besideEachOther = "its attention and mlp stand side by side";

constexpr OtherVit otherVits[] = {
    {"vit_*_rpn_*", "vit_base_patch16_rpn_224", residualPostNorm},
    {"eva02_enormous_*", "eva02_enormous_patch14_clip_224", residualPostNorm},
    {"vit_*_rope_*", "vit_base_patch16_rope_224",
     "its rotary positions are neither DINOv3's nor EVA-02's"},
    {"vit_pe_*", "vit_pe_core_base_patch16_224",
     "its rotary positions are neither DINOv3's nor EVA-02's"},
    {"vit_*_sapiens2*", "vit_base_patch16_sapiens2", "its queries share keys and values"},
    {"vit_*_xp_*", "vit_base_patch16_xp_224", besideEachOther},
    {"vit_pwee_*", "vit_pwee_patch16_reg1_gap_256", besideEachOther},
    {"vit_dpwee_*", "vit_dpwee_patch16_reg1_gap_256", besideEachOther},
    {"vit_dwee_*", "vit_dwee_patch16_reg1_gap_256", "its attention is a difference of two"},
    {"vit_dlittle_*", "vit_dlittle_patch16_reg1_gap_256", "its attention is a difference of two"},
    {"vit_*_18x2_*", "vit_small_patch16_18x2_224", "its blocks run in pairs, side by side"},
    {"vit_relpos_*", "vit_relpos_base_patch16_224", "it adds relative positions to its scores"},
    {"vit_srelpos_*", "vit_srelpos_small_patch16_224", "it adds relative positions to its scores"},
    {"test_vit4*", "test_vit4", "its norms divide by the root mean square alone"},
    {"qwen3_vit_*", "qwen3_vit_88m", "it rotates queries and keys by rotary positions"},
    {"deepseek_vit_*", "deepseek_vit_412m", "it rotates queries and keys by rotary positions"},
    {"beit3_*", "beit3_base_patch16_224", "it has norms of other places than EVA's"},
};

/// Returns true for a name that says less than the weights: norms within attention and mlp are
/// computed where they are under a plain ViT's names.
bool saysLessThanWeights(const OtherVit& other, const VitConfiguration& configuration) {
  const VitBlockNames& names = configuration.names.block;
  return std::string_view(other.pattern) == "beit3_*" && !names.attentionNorm.empty() &&
         !names.mlpNorm.empty() && !names.queryKeyValue.empty();
}

[[noreturn]] void failOtherVit(const OtherVit& other, const std::string& because) {
  throw ModelError(
      "this is " + std::string(other.example) + " or a relative, by " + because + ": " +
      other.difference +
      ", which Softscope does not compute; if it is another network, say so with --norm");
}

/// Throws ModelError if a name is of a network in the list, unless `isOther` says that it is none
/// all the same.
void refuseNamesUnless(const std::function<bool(const OtherVit&)>& isOther, int channels,
                       const ModelHints& hints) {
  for (const GivenName& given : givenNames(hints)) {
    const std::string name = timmNameIn(given.name).architecture;
    const auto* other =
        std::find_if(std::begin(otherVits), std::end(otherVits),
                     [&](const OtherVit& one) { return matchesPattern(name, one.pattern); });
    if (other == std::end(otherVits) || isOther(*other)) continue;
    if (given.isConfigured && !hints.configuration.fits(channels)) continue;
    failOtherVit(*other, "its name (" + given.place + given.name + ")");
  }
}

}  // namespace

std::optional<PublishedVit> publishedVit(const VitConfiguration& configuration) {
  const PublishedSize* size = sizeOf(configuration);
  if (size == nullptr) return std::nullopt;
  PublishedVit published{.size = size->size,
                         .heads = {},
                         .owners = {},
                         .activations = activationsOf(configuration, size->size)};
  addHeads(configuration, *size, published);
  return published;
}

bool isFirstVitSmall(const VitConfiguration& configuration) {
  constexpr int channels = 768;
  constexpr int heads = 8;
  const PublishedSize* size = sizeOf(configuration);
  return size != nullptr && size->channels == channels && size->heads == heads;
}

std::string publishedVitName(const VitConfiguration& configuration) {
  const PublishedSize* size = sizeOf(configuration);
  return size == nullptr ? "" : std::string("vit_") + size->size;
}

std::string unpublishedText() {
  return "nobody published a network of these sizes, and no weight tells it";
}

VitFact factOfPublished(const VitConfiguration& configuration, const ConfigurationFile* said,
                        const std::string& value, const std::string& source) {
  if (publishedVit(configuration) || namesNetwork(said)) return {value, source};
  return {value, unpublishedText(), false};
}

std::optional<int> publishedHeadsOfWidth(int channels) {
  const auto found = std::find_if(
      std::begin(publishedSizes), std::end(publishedSizes), [&](const PublishedSize& size) {
        return size.channels == channels && std::string_view(size.size) != "test";
      });
  if (found == std::end(publishedSizes)) return std::nullopt;
  return found->heads;
}

std::string activationOfNamed(const std::string& architecture) {
  const auto has = [&](const char* part) { return architecture.find(part) != std::string::npos; };
  if (has("quickgelu")) return "quick_gelu";
  const bool hasTanh = has("_base_patch32_") || (has("_large_") && has("_512")) ||
                       has("_so400m_patch16_") || has("_giantopt_");
  return has("siglip") && hasTanh ? "gelu_tanh" : "gelu";
}

std::optional<NamedVit> namedVit(const VitConfiguration& configuration, const ModelHints& hints) {
  const auto published = publishedVit(configuration);
  const ConfigurationFile& said = hints.configuration;
  for (const GivenName& given : givenNames(hints)) {
    const std::string name = timmNameIn(given.name).architecture;
    if (!isVitName(name)) continue;
    const bool isOpen = published && !published->owners.empty();
    if (isOpen && !given.isConfigured && !isFullName(name)) continue;
    if (given.isConfigured && !said.fits(configuration.channels)) continue;
    // timm writes the sizes of a network if they differ from what its name says.
    const bool saysSizes = given.isConfigured && !said.channels.empty() && !said.heads.empty();
    if (!saysSizes && !(published && saysSize(name, published->size))) continue;
    return NamedVit{name, "as in " + name + ", since " + given.place + given.name};
  }
  return std::nullopt;
}

void refuseNamesOfOtherVits(int channels, const ModelHints& hints) {
  for (const char* option : {"norm", "norm-without-bias"}) {
    if (hints.settings.contains(option) || hints.metadata.contains(option)) return;
  }
  refuseNamesUnless([](const OtherVit&) { return false; }, channels, hints);
}

void refuseOtherVits(const VitConfiguration& configuration, const ModelHints& hints) {
  if (hints.settings.count("norm") > 0 || hints.metadata.count("norm") > 0) return;
  refuseNamesUnless(
      [&](const OtherVit& other) { return saysLessThanWeights(other, configuration); },
      configuration.channels, hints);
  const VitNames& names = configuration.names;
  const bool hasItsParts = !configuration.classToken && configuration.registers == 0 &&
                           !configuration.hasQueryBias() && !names.poolingNorm.empty() &&
                           names.block.scale1.empty() && names.normBefore.empty();
  const auto published = publishedVit(configuration);
  if (hasItsParts && published && published->size == "base" && configuration.patch == 16) {
    failOtherVit(otherVits[0], "its names and shapes");
  }
}

}  // namespace softscope
