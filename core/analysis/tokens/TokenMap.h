#pragma once

#include "core/Matrix.h"
#include "core/array/Npz.h"
#include "core/inspect/TokenInspection.h"
#include "core/model/PictureRegion.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The tokens behind one block of one model on one picture: what a map of tokens is of.
struct AnalysedTokens {
  /// As in AnalysedLayer.
  std::string model;
  std::string mechanismNote;
  std::shared_ptr<const TokenInspection> inspection;
  /// Of the inspection's layers.
  std::size_t index = 0;
  /// The part of the picture that the model saw.
  PictureRegion region;

  const LayerTokens& layer() const { return inspection->layers[index]; }
  bool operator==(const AnalysedTokens&) const = default;
};

/// What is shown of tokens.
enum class TokenMapOf {
  Similarity,  ///< the cosine of each patch's angle to the token that is asked about
  Components,  ///< the first three principal components as red, green and blue
  Norms,       ///< the l2 norm of each patch
};

struct TokenSettings {
  TokenMapOf of = TokenMapOf::Similarity;
  /// Patches whose first component, in per cent of the way from the smallest to the largest, lies
  /// below are background, and what remains has its own components ("DINOv2: Learning Robust Visual
  /// Features without Supervision", 2023, arXiv 2304.07193, Section 7.6). 0 for all patches.
  int foreground = 0;
  /// A patch is an outlier if its norm is more than so many times the median's ("Vision
  /// Transformers Need Registers", 2023, arXiv 2309.16588, Section 2.1, draws the line at 150 where
  /// most norms of DINOv2 ViT-g lie below 100).
  double outlierRatio = 2;

  bool operator==(const TokenSettings&) const = default;
};

/// A map of one block's patches.
struct TokenMap {
  AnalysedTokens of;
  TokenMapOf kind = TokenMapOf::Similarity;
  /// [patches]: cosines in [-1, 1], the first component in [0, 1], or norms.
  Vector values;
  /// Components: [patches, 3], red, green and blue in [0, 1]; NaN for background.
  Matrix colors;
  /// Components: the share of the variance of the patches that each of them has.
  std::array<double, 3> explained{};
  /// Components: of how many pictures and models together.
  int together = 1;
  /// Similarity: where on the picture was asked, and the token there.
  PictureQuery query;
  int token = 0;
  /// Norms: the median of the patches', the patches beyond, the largest first, and the norms of the
  /// tokens before the patches.
  float median = 0;
  std::vector<int> outliers;
  Vector prefixNorms;
};

/// The token of a layer that a query means.
int tokenAt(const LayerTokens& layer, const PictureExtent& extent, const PictureQuery& query);

/// The cosine of the angle between the token and each patch: [patches]. One product of a matrix and
/// a vector, so that it follows the mouse.
Vector cosineSimilarity(const LayerTokens& layer, int token);

/// Similarity to the token that a query means on a picture.
TokenMap similarityMap(const AnalysedTokens& of, const PictureExtent& extent,
                       const PictureQuery& query);

/// The norms, and which of them are outliers.
TokenMap normMap(const AnalysedTokens& of, double outlierRatio);

/// Components of the layers of several models together, the first of each with the others' first,
/// where they have as many channels, so that colours mean the same in them; of each alone
/// otherwise. `foreground` as in TokenSettings. The first points
/// away from the picture's border, the others have their largest magnitude positive.
std::vector<TokenMap> componentMaps(const std::vector<AnalysedTokens>& layers, int foreground);

/// What `settings` asks for of all layers; similarity for each of the queries on the picture.
std::vector<TokenMap> tokenMaps(const std::vector<AnalysedTokens>& layers,
                                const TokenSettings& settings, const Picture* picture,
                                const std::vector<PictureQuery>& queries);

/// `patch (12, 7)`, `token 0`: what a map of similarity is about.
std::string tokenNameOf(const TokenMap& map);

/// `MODEL.LAYER.similarity` (numbered from 2 for further queries), `.components` or `.norms` (with
/// `.prefix_norms`), [height, width] or [height, width, 3] of the grid, the layer's dots as
/// underscores.
NamedArrays tokenArrays(const std::vector<TokenMap>& maps);

}  // namespace softscope
