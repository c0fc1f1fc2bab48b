#include "core/Error.h"
#include "models/identify/Families.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/ResolvedSetting.h"
#include "models/identify/ShapeReader.h"
#include "models/identify/StoredOptions.h"
#include "models/vim/VimNetwork.h"

#include <algorithm>
#include <string>
#include <utility>

namespace softscope {

namespace {

struct PublishedVim {
  const char* name;
  int channels;
  int side;
};

constexpr PublishedVim publishedVims[] = {{"vim_tiny_stride16", 192, 14},
                                          {"vim_tiny_stride8", 192, 27},
                                          {"vim_small_stride16", 384, 14},
                                          {"vim_small_stride8", 384, 27},
                                          {"vim_base_stride16", 768, 14}};

bool isVim(const StateDict& state) {
  // A table of words is a language model's.
  if (state.contains("embedding.weight") || state.contains("embeddings.weight")) return false;
  return std::any_of(state.entries().begin(), state.entries().end(), [](const auto& entry) {
    return startsWith(entry.name, "layers.") && entry.name.find(".mixer.") != std::string::npos &&
           (entry.name.ends_with("A_log") || entry.name.ends_with(".conv1d_b.weight"));
  });
}

/// Reads a size from the first layer that has one of the mixer's tensors.
std::optional<int> vimSize(const ShapeReader& shapes, int depth,
                           std::initializer_list<const char*> names, int dimension) {
  for (int layer = 0; layer < depth; ++layer) {
    for (const char* name : names) {
      const auto size =
          shapes.size({"layers." + std::to_string(layer) + ".mixer." + name}, dimension);
      if (size) return size;
    }
  }
  return std::nullopt;
}

/// Throws ModelError for forms of Vim that compute something else.
void requireSecondVim(const ShapeReader& shapes, const StateDict& state) {
  const auto refuse = [](const std::string& what) {
    throw ModelError("this is a form of Vision Mamba " + what +
                     ", which Softscope does not open; it opens Vim with scans in both directions "
                     "and one class token");
  };
  if (state.contains("pos_embed_cls")) {
    throw ModelError(
        "this is Mamba-Reg (pos_embed_cls), a Vision Mamba with registers among its patches, which "
        "Softscope does not open; it opens Vim");
  }
  if (!shapes.any("layers.", ".mixer.conv1d_b.weight") &&
      !shapes.any("layers.", ".mixer.x_proj_b.weight")) {
    refuse("without a backward scan of its own (no mixer.conv1d_b)");
  }
  if (state.contains("cls_token_head")) refuse("with two class tokens (cls_token_head)");
  if (shapes.any("rope.")) refuse("with rotary positions (rope)");
  if (shapes.any("layers.", ".mixer.gamma")) refuse("with scaled mixers (mixer.gamma)");
  if (shapes.any("layers.", ".norm.bias") || state.contains("norm_f.bias")) {
    refuse("with layer norms (norm.bias, rms_norm=False)");
  }
  const bool hasSquare = squareSide(shapes.size({"pos_embed"}, 1).value_or(0)) > 0;
  if (!state.contains("cls_token") && hasSquare) {
    refuse("without a class token (no cls_token, if_cls_token=False)");
  }
}

VimConfiguration readVimConfiguration(const ShapeReader& shapes) {
  VimConfiguration sizes;
  sizes.depth = shapes.require(shapes.count("layers."), "its layers");
  auto channels =
      shapes.size({"patch_embed.proj.weight", "patch_embed.proj.bias", "norm_f.weight"}, 0);
  if (!channels) channels = shapes.size({"pos_embed", "cls_token"}, 2);
  sizes.channels = shapes.require(channels, "its width");
  sizes.patch = std::max(1, shapes.size({"patch_embed.proj.weight"}, 2).value_or(16));
  const int tokens = shapes.size({"pos_embed"}, 1).value_or(197);
  sizes.side = squareSide(tokens - 1);
  if (sizes.side == 0) {
    throw ModelError("its " + std::to_string(tokens) +
                     " positions are no square of patches and one class token");
  }
  const auto size = [&](std::initializer_list<const char*> names, int dimension) {
    return vimSize(shapes, sizes.depth, names, dimension);
  };
  sizes.inner = shapes.require(size({"A_log", "A_b_log", "D", "D_b", "conv1d.weight"}, 0),
                               "the channels of its state spaces");
  sizes.states = shapes.require(size({"A_log", "A_b_log"}, 1), "its states");
  sizes.ranks = shapes.require(size({"dt_proj.weight", "dt_proj_b.weight"}, 1), "its ranks");
  sizes.taps = std::max(1, size({"conv1d.weight", "conv1d_b.weight"}, 2).value_or(sizes.taps));
  sizes.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  return sizes;
}

std::string vimVariant(const VimConfiguration& sizes) {
  for (const PublishedVim& variant : publishedVims) {
    const bool fits = variant.channels == sizes.channels && variant.side == sizes.side &&
                      sizes.depth == 24 && sizes.patch == 16 && sizes.inner == 2 * sizes.channels &&
                      sizes.states == 16 && sizes.taps == 4;
    if (fits) return variant.name;
  }
  return "custom";
}

/// Resolves the constructor's arguments that leave nothing in the weights.
void resolveVimOptions(VimConfiguration& sizes, const ModelHints& hints, ModelSummary& summary) {
  constexpr const char* network = "Vim";
  const bool isPublished = summary.isPublished();
  const SettingKnowledge published = knownOfPublished(network, isPublished, nullptr);
  StoredOption known{.key = "use_middle_cls_token",
                     .usual = "true",
                     .isCertain = published.isCertain,
                     .reason = published.reason,
                     .network = network,
                     .computed = {"true", "false"}};
  sizes.hasClassInMiddle = resolveStoredOption(known, hints, summary) == "true";
  known.key = "if_divide_out";
  sizes.halvesScans = resolveStoredOption(known, hints, summary) == "true";
  // Layers that take turns in direction are not computed.
  resolveFixedOption({.key = "if_bidirectional", .value = "false", .network = network}, isPublished,
                     nullptr, hints, summary);
}

/// Returns the side of pictures whose patches do not overlap, or overlap by half where that makes
/// the published 224.
int vimPictureSide(const VimConfiguration& sizes) {
  constexpr int published = 224;
  const int overlapping = (sizes.side - 1) * (sizes.patch / 2) + sizes.patch;
  return overlapping == published ? published : sizes.side * sizes.patch;
}

DefinedModel defineVim(const StateDict& state, const ModelHints& hints) {
  const ShapeReader shapes(state, "Vim");
  requireSecondVim(shapes, state);
  requireOnly("Vim", "mamba", hints);
  requireHeadsOfWeights("Vim, whose two scans are its heads,", 2, hints);
  VimConfiguration sizes = readVimConfiguration(shapes);
  ModelSummary summary;
  summary.family = "vim";
  summary.variant = vimVariant(sizes);
  summary.setOnlyMechanism("mamba");
  summary.reason =
      "Names and shapes are those of Vim: mixer.conv1d_b is its alone. Head 0 is its scan over the "
      "sequence, head 1 the one backwards; every channel has a matrix of its own, and what is "
      "shown is their mean.";
  if (!state.contains("pos_embed")) {
    summary.reason +=
        " It is one without positions (if_abs_pos_embed=False), which Softscope does not open, or "
        "the file lost pos_embed.";
  }
  resolveVimOptions(sizes, hints, summary);
  summary.channels = sizes.channels;
  summary.heads = {2};
  summary.classes = sizes.classes;
  summary.transform.height = summary.transform.width = vimPictureSide(sizes);
  for (int i = 0; i < sizes.depth; ++i) {
    summary.layers.push_back({.name = "layers." + std::to_string(i) + ".mixer",
                              .mechanism = "mamba",
                              .stage = 1,
                              .heads = 2});
  }
  return {std::move(summary), std::make_shared<VimNetwork>(sizes)};
}

}  // namespace

Family vimFamily() {
  return {.name = "vim",
          .networks = "Vim",
          .attention = "hidden attention of state spaces",
          .recognises = isVim,
          .define = defineVim};
}

}  // namespace softscope
