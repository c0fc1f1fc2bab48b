#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/vig/VigNetwork.h"

#include <algorithm>
#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedVig {
  const char* name;
  int channels;
  bool hasActivations;
};

constexpr PublishedVig publishedVigs[] = {
    {"vig_tiny", 192, true}, {"vig_small", 384, false}, {"vig_base", 768, false}};

bool isVig(const StateDict& state) {
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, "blocks.") && (entry.name.ends_with(".attn.gk_proj.0.weight") ||
                                                 entry.name.ends_with(".attn.gk_proj.1.weight"));
  });
}

/// Reads a size from the first block that has one of the tensors.
std::optional<int> vigSize(const ShapeReader& shapes, int depth,
                           std::initializer_list<const char*> names, int dimension) {
  for (int block = 0; block < depth; ++block) {
    for (const char* name : names) {
      const auto size = shapes.size({"blocks." + std::to_string(block) + "." + name}, dimension);
      if (size) return size;
    }
  }
  return std::nullopt;
}

VigConfiguration readVigConfiguration(const ShapeReader& shapes) {
  VigConfiguration sizes;
  sizes.depth = shapes.require(shapes.count("blocks."), "its blocks");
  const auto size = [&](std::initializer_list<const char*> names, int dimension) {
    return vigSize(shapes, sizes.depth, names, dimension);
  };
  auto channels = shapes.size({"norm.weight", "patch_embed.proj.3.weight"}, 0);
  if (!channels) channels = size({"attn_norm.weight", "mlp_norm.weight"}, 0);
  sizes.channels = shapes.require(channels, "its width");
  sizes.headWidth = shapes.require(size({"attn.g_norm.weight", "attn.l_norm.weight"}, 0),
                                   "the width of its heads");
  requireWholeHeads("ViG", sizes.channels, headsOfWidth("ViG", sizes.channels, sizes.headWidth), 1);
  auto twice = size({"attn.gk_proj.1.weight", "attn.gk_proj.1.bias"}, 0);
  if (!twice) {
    if (const auto rows = size({"attn.qkv_proj.weight"}, 0)) twice = *rows - sizes.channels;
  }
  sizes.keyChannels = shapes.require(twice, "the channels of its keys") / 2;
  if (sizes.keyChannels < 1 || sizes.keyChannels % sizes.heads() != 0) {
    throw ModelError(
        "the " + std::to_string(sizes.keyChannels) +
        " channels of its keys do not divide among its heads; the file may be damaged");
  }
  sizes.gateRanks =
      shapes.require(size({"attn.gk_proj.0.weight"}, 0) ? size({"attn.gk_proj.0.weight"}, 0)
                                                        : size({"attn.gk_proj.1.weight"}, 1),
                     "the ranks of its gates");
  auto hidden = size({"mlp.down_proj.weight"}, 1);
  if (!hidden) {
    if (const auto rows = size({"mlp.gate_proj.weight"}, 0)) hidden = *rows / 2;
  }
  sizes.hidden = shapes.require(hidden, "its mlps");
  sizes.stemChannels =
      shapes.require(shapes.size({"patch_embed.proj.0.weight", "patch_embed.proj.0.bias",
                                  "patch_embed.proj.1.weight", "patch_embed.proj.1.bias"},
                                 0),
                     "its stem");
  sizes.stemKernel =
      std::max(2, shapes.size({"patch_embed.proj.0.weight"}, 2).value_or(sizes.stemKernel));
  const int positions = shapes.size({"pos_embed"}, 1).value_or(sizes.side * sizes.side);
  sizes.side = requireSquare(positions);
  sizes.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  return sizes;
}

const PublishedVig* publishedVig(const VigConfiguration& sizes) {
  for (const PublishedVig& variant : publishedVigs) {
    const bool fits = variant.channels == sizes.channels && sizes.depth == 12 &&
                      sizes.headWidth == 64 && sizes.side == 14 && sizes.patch() == 16;
    if (fits) return &variant;
  }
  return nullptr;
}

constexpr const char* vigLocalKey = "MODEL.VIG.USE_ACT_IN_CONV";
constexpr const char* vigSumKey = "MODEL.VIG.USE_OUT_ACT";
constexpr const char* vigStemKey = "MODEL.VIG.USE_ACT_IN_PATCH";

/// Resolves both activations around the attention at once.
void resolveVigActivation(const PublishedVig* published, const ModelHints& hints,
                          VigConfiguration& sizes, ModelSummary& summary) {
  SettingKnowledge known{.option = "activation",
                         .usual = "silu",
                         .reason =
                             "the tiny ViG has silu around its attention, the small and the base "
                             "one have none, and no weight tells it",
                         .choices = {"silu", "none"}};
  if (published != nullptr) {
    known.usual = published->hasActivations ? "silu" : "none";
    known.isCertain = true;
    known.reason = std::string("as in ") + published->name;
  }
  const NetworkSetting activation = resolveSetting(known, hints);
  sizes.activatesLocal = sizes.activatesSum = activation.value == "silu";
  describeSetting(activation, summary);
}

/// Resolves the activations, which leave nothing in the weights. --activation chooses those around
/// the attention together; the repository's options, each by itself, which the file may hold.
void resolveVigActivations(const PublishedVig* published, const ModelHints& hints,
                           VigConfiguration& sizes, ModelSummary& summary) {
  resolveVigActivation(published, hints, sizes, summary);
  StoredOption known{.isCertain = published != nullptr,
                     .reason = "no published ViG has these sizes, and no weight tells it",
                     .network = "ViG",
                     .computed = {"true", "false"}};
  const auto resolve = [&](const char* key, bool usual) {
    known.key = key;
    known.usual = usual ? "true" : "false";
    return resolveStoredOption(known, hints, summary) == "true";
  };
  sizes.activatesStem = resolve(vigStemKey, false);
  const bool isStored = storedValue(vigLocalKey, hints) || storedValue(vigSumKey, hints);
  if (!isStored || hints.settings.contains("activation")) return;
  std::erase_if(summary.settings,
                [](const NetworkSetting& setting) { return setting.option == "activation"; });
  const bool hasBoth = published == nullptr || published->hasActivations;
  sizes.activatesLocal = resolve(vigLocalKey, hasBoth);
  sizes.activatesSum = resolve(vigSumKey, published != nullptr && hasBoth);
}

DefinedModel defineVig(const StateDict& state, const ModelHints& hints) {
  requireOnly("ViG", "gla", hints);
  VigConfiguration sizes = readVigConfiguration(ShapeReader(state, "ViG"));
  requireHeadsOfWeights("ViG", sizes.heads(), hints);
  const PublishedVig* published = publishedVig(sizes);
  ModelSummary summary;
  summary.family = "vig";
  summary.variant = published != nullptr ? published->name : "custom";
  summary.setOnlyMechanism("gla");
  resolveVigActivations(published, hints, sizes, summary);
  summary.reason =
      "Names and shapes are those of ViG: attn.gk_proj is its alone, and attn.g_norm tells the "
      "heads.";
  summary.channels = sizes.channels;
  summary.heads = {sizes.heads()};
  summary.classes = sizes.classes;
  summary.transform.height = summary.transform.width = sizes.side * sizes.patch();
  for (int i = 0; i < sizes.depth; ++i) {
    summary.layers.push_back({.name = "blocks." + std::to_string(i) + ".attn",
                              .mechanism = "gla",
                              .stage = 1,
                              .heads = sizes.heads()});
  }
  return {std::move(summary), std::make_shared<VigNetwork>(sizes)};
}

}  // namespace

Family vigFamily() {
  return {.name = "vig",
          .networks = "ViG",
          .attention = "linear attention",
          .recognises = isVig,
          .define = defineVig};
}

}  // namespace softscope
