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

/// The output tokens of one block of one model on one picture, the subject of a token map.
struct AnalysedTokens {
  /// Names of the model and its mechanism, as in AnalysedLayer.
  std::string model;
  std::string mechanismNote;
  std::shared_ptr<const TokenInspection> inspection;
  /// Index into the inspection's layers.
  std::size_t index = 0;
  /// The part of the picture that the model saw.
  PictureRegion region;

  const LayerTokens& layer() const { return inspection->layers[index]; }
  bool operator==(const AnalysedTokens&) const = default;
};

/// The quantity that a token map shows.
enum class TokenQuantity {
  Similarity,  ///< the cosine of each patch's angle to the token that is asked about
  Components,  ///< the first three principal components as red, green and blue
  Norms,       ///< the l2 norm of each patch
};

struct TokenSettings {
  TokenQuantity of = TokenQuantity::Similarity;
  /// Patches whose first component lies below this percentage of the way from the smallest to the
  /// largest are background; the rest gets components of its own ("DINOv2: Learning Robust Visual
  /// Features without Supervision", 2023, arXiv 2304.07193, Section 7.6). 0 for all patches.
  int foreground = 0;
  /// A patch is an outlier if its norm is more than this multiple of the median norm. ("Vision
  /// Transformers Need Registers", 2023, arXiv 2309.16588, Section 2.1, draws the line at 150,
  /// while most norms of DINOv2 ViT-g lie below 100.)
  double outlierRatio = 2;

  bool operator==(const TokenSettings&) const = default;
};

/// A map of one block's patches.
struct TokenMap {
  AnalysedTokens of;
  TokenQuantity kind = TokenQuantity::Similarity;
  /// [patches]: cosines in [-1, 1], the first component in [0, 1], or norms.
  Vector values;
  /// Components: [patches, 3], red, green and blue in [0, 1]; NaN for background.
  Matrix colors;
  /// Components: the share of the patches' variance that each component explains.
  std::array<double, 3> explained{};
  /// Components: the number of pictures and models that were analysed together.
  int together = 1;
  /// Similarity: the place on the picture that was asked about, and the token there.
  PictureQuery query;
  int token = 0;
  /// Norms: the median norm of the patches, the outliers (largest first), and the norms of the
  /// tokens before the patches.
  float median = 0;
  std::vector<int> outliers;
  Vector prefixNorms;
};

/// Returns the index of the token of a layer that a query refers to.
int tokenAt(const LayerTokens& layer, const PictureExtent& extent, const PictureQuery& query);

/// Returns the cosine of the angle between the token and each patch: [patches]. One product of a
/// matrix and a vector, fast enough to follow the mouse.
Vector cosineSimilarity(const LayerTokens& layer, int token);

/// Returns the similarity of all patches to the token that a query refers to.
TokenMap similarityMap(const AnalysedTokens& of, const PictureExtent& extent,
                       const PictureQuery& query);

/// Returns the map of the l2 norms of one block's tokens: those of the patches, [patches], with
/// their median and outliers, which are above `outlierRatio` times the median, and those of the
/// tokens before the patches.
TokenMap normMap(const AnalysedTokens& of, double outlierRatio);

/// Returns the components of several models' layers. The first layers of all models are analysed
/// together, likewise their second ones and so on, if they have the same number of channels, so
/// that colours mean the same in them; otherwise each layer is analysed alone. `foreground` is as
/// in TokenSettings. The first component points away from the picture's border; the others have
/// their largest magnitude positive.
std::vector<TokenMap> componentMaps(const std::vector<AnalysedTokens>& layers, int foreground);

/// Returns the maps that `settings` asks for, for all layers; for similarity, one map for each
/// query on the picture.
std::vector<TokenMap> tokenMaps(const std::vector<AnalysedTokens>& layers,
                                const TokenSettings& settings, const Picture* picture,
                                const std::vector<PictureQuery>& queries);

/// Returns the name of the token that a similarity map compares with: `patch (12, 7)`, `token 0`.
std::string tokenNameOf(const TokenMap& map);

/// Returns `MODEL.LAYER.similarity` (numbered from 2 for further queries), `.components` or
/// `.norms` (with `.prefix_norms`), as [height, width] or [height, width, 3] of the grid, with the
/// layer's dots as underscores.
NamedArrays tokenArrays(const std::vector<TokenMap>& maps);

}  // namespace softscope
