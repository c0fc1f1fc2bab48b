#include "models/lineardeit/LinearDeitSizes.h"

#include "core/Error.h"
#include "models/identify/OtherNetworks.h"

#include <algorithm>

namespace softscope {

namespace {

int sideOfSquare(int positions) {
  const int side = squareSide(positions);
  if (side > 0) return side;
  throw ModelError("its table of " + std::to_string(positions) +
                   " positions makes no square, as this attention needs; the file may be damaged");
}

}  // namespace

LinearDeitSizes readLinearDeitSizes(const ShapeReader& shapes, int prefixTokens,
                                    std::optional<int> sideOfAttention) {
  if (shapes.any("pre_logits.")) {
    throw ModelError(
        "a layer stands before its head (pre_logits, representation_size), which Softscope "
        "computes in plain vision transformers alone; " +
        recordingAdvice());
  }
  LinearDeitSizes sizes;
  auto channels = shapes.size({"patch_embed.proj.weight", "patch_embed.proj.bias"}, 0);
  if (!channels) channels = shapes.size({"cls_token", "pos_embed"}, 2);
  sizes.channels = shapes.require(channels, "its width");
  sizes.depth = shapes.require(shapes.count("blocks."), "its blocks");
  auto hidden = sizeInBlocks(shapes, {"mlp.fc1.weight", "mlp.fc1.bias"}, 0);
  if (!hidden) hidden = sizeInBlocks(shapes, {"mlp.fc2.weight"}, 1);
  sizes.hidden = hidden.value_or(4 * sizes.channels);
  sizes.patch = std::max(1, shapes.size({"patch_embed.proj.weight"}, 2).value_or(sizes.patch));
  sizes.side = sideOfAttention.value_or(sizes.side);
  if (const auto positions = shapes.size({"pos_embed"}, 1)) {
    sizes.side = sideOfSquare(*positions - prefixTokens);
  }
  sizes.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  sizes.queryKeyValueBias = shapes.any("blocks.", ".attn.qkv.bias");
  return sizes;
}

std::optional<int> sizeInBlocks(const ShapeReader& shapes, std::initializer_list<const char*> names,
                                int dimension) {
  const int depth = shapes.count("blocks.");
  for (int block = 0; block < depth; ++block) {
    for (const char* name : names) {
      const auto size = shapes.size({"blocks." + std::to_string(block) + "." + name}, dimension);
      if (size && *size > 0) return size;
    }
  }
  return std::nullopt;
}

std::string linearDeitVariant(std::span<const PublishedLinearDeit> published,
                              const LinearDeitSizes& sizes) {
  const bool usual = sizes.depth == 12 && sizes.hidden == 4 * sizes.channels && sizes.patch == 16;
  const auto found = std::find_if(published.begin(), published.end(), [&](const auto& variant) {
    return variant.channels == sizes.channels && variant.heads == sizes.heads &&
           variant.pictureSide == sizes.pictureSide();
  });
  return usual && found != published.end() ? found->name : "custom";
}

ModelSummary summaryOf(const LinearDeitSizes& sizes, const std::string& family,
                       const std::string& mechanism) {
  ModelSummary summary;
  summary.family = family;
  summary.setOnlyMechanism(mechanism);
  summary.channels = sizes.channels;
  summary.heads = {sizes.heads};
  summary.classes = sizes.classes;
  summary.transform.height = sizes.pictureSide();
  summary.transform.width = sizes.pictureSide();
  for (int block = 0; block < sizes.depth; ++block) {
    summary.layers.push_back({.name = "blocks." + std::to_string(block) + ".attn",
                              .mechanism = mechanism,
                              .stage = 1,
                              .heads = sizes.heads});
  }
  return summary;
}

Convolution patchEmbedding(const LinearDeitSizes& sizes) {
  return Convolution(ConvolutionOptions{
      .inputs = 3, .outputs = sizes.channels, .kernel = sizes.patch, .stride = sizes.patch});
}

}  // namespace softscope
