#pragma once

#include "core/model/ModelSummary.h"
#include "models/identify/ShapeReader.h"
#include "models/layers/Layers.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace softscope {

/// Sizes of a DeiT with another attention inside, independent of the kind of attention.
struct LinearDeitSizes {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;
  int patch = 16;
  /// Patches per side; they form a square.
  int side = 14;
  /// Number of classes; 0 for a backbone without a head.
  int classes = 0;
  bool queryKeyValueBias = true;

  int patches() const { return side * side; }
  int pictureSide() const { return side * patch; }
};

/// Epsilon of the layer norms of published networks.
constexpr double linearDeitNormEpsilon = 1e-6;

/// A published network: twelve blocks, mlps of four times the channels, patches of 16 x 16.
struct PublishedLinearDeit {
  const char* name;
  int channels;
  int heads;
  int pictureSide;
};

/// Reads the sizes that names and shapes determine, which are all but the heads. The table of
/// positions has `prefixTokens` entries before the patches; if the table is missing, the
/// attention's own tables give the side, `sideOfAttention`. Throws ModelError if information is
/// missing, and for positions that do not form a square.
LinearDeitSizes readLinearDeitSizes(const ShapeReader& shapes, int prefixTokens,
                                    std::optional<int> sideOfAttention = std::nullopt);

/// Returns the first size of a tensor with one of these names (`attn.an_bias`) in any block.
std::optional<int> sizeInBlocks(const ShapeReader& shapes, std::initializer_list<const char*> names,
                                int dimension);

/// Returns the name of the published network with these sizes, or `custom`.
std::string linearDeitVariant(std::span<const PublishedLinearDeit> published,
                              const LinearDeitSizes& sizes);

/// Returns a summary of what such networks have in common; its layers are `blocks.N.attn`.
ModelSummary summaryOf(const LinearDeitSizes& sizes, const std::string& family,
                       const std::string& mechanism);

/// Creates the convolution that turns every patch into a token.
Convolution patchEmbedding(const LinearDeitSizes& sizes);

}  // namespace softscope
