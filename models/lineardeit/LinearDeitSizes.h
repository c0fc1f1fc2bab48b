#pragma once

#include "core/model/ModelSummary.h"
#include "models/identify/ShapeReader.h"
#include "models/layers/Layers.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace softscope {

/// Sizes of a DeiT with another attention inside, whatever that is.
struct LinearDeitSizes {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;
  int patch = 16;
  /// Patches of a side: they lie in a square.
  int side = 14;
  /// 0 for a backbone without a head.
  int classes = 0;
  bool queryKeyValueBias = true;

  int patches() const { return side * side; }
  int pictureSide() const { return side * patch; }
};

/// A published network: twelve blocks, mlps of four times the channels, patches of 16 x 16.
struct PublishedLinearDeit {
  const char* name;
  int channels;
  int heads;
  int pictureSide;
};

/// The sizes that names and shapes tell, but for the heads. `prefixTokens` stand before the patches
/// in the table of positions; `sideOfAttention` is what the attention's own tables say where that
/// is lost. Throws ModelError where too little is there, and for positions that make no square.
LinearDeitSizes readLinearDeitSizes(const ShapeReader& shapes, int prefixTokens,
                                    std::optional<int> sideOfAttention = std::nullopt);

/// The first size that tensors of those names have in any block: `attn.an_bias`.
std::optional<int> sizeInBlocks(const ShapeReader& shapes, std::initializer_list<const char*> names,
                                int dimension);

/// The name of the published network of these sizes, or `custom`.
std::string linearDeitVariant(std::span<const PublishedLinearDeit> published,
                              const LinearDeitSizes& sizes);

/// A summary of what such networks have in common; its layers are `blocks.N.attn`.
ModelSummary summaryOf(const LinearDeitSizes& sizes, const std::string& family,
                       const std::string& mechanism);

/// The convolution that makes a token of every patch.
Convolution patchEmbedding(const LinearDeitSizes& sizes);

}  // namespace softscope
