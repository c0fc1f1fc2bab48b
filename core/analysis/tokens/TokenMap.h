#pragma once

#include "core/Matrix.h"
#include "core/array/Npz.h"
#include "core/image/PictureReading.h"
#include "core/inspect/TokenInspection.h"
#include "core/model/InputTransform.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"

#include <array>
#include <cstddef>
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
  /// The picture's name among several, without a second of the same name; empty if there is one
  /// picture alone.
  std::string picture = {};
  /// The picture itself; null for an input without one.
  std::shared_ptr<const Picture> shown = {};

  const LayerTokens& layer() const { return inspection->layers[index]; }
  bool operator==(const AnalysedTokens&) const = default;
};

/// The quantity that a token map shows.
enum class TokenQuantity {
  Similarity,  ///< the cosine of each patch's angle to the token that is asked about
  Components,  ///< the first three principal components as red, green and blue
  Norms,       ///< the l2 norm of each patch
  Matches,     ///< the patches of another picture that are most alike, and that agree
};

/// The patches of one picture whose match in another is shown.
enum class MatchedPatches {
  All,    ///< every patch
  Query,  ///< the one that is asked about
};

/// The form of a patch's token that vectors of files are compared with.
enum class ComparedTokens {
  Fitting,   ///< the tokens behind a block, or if only they fit, the features
  Block,     ///< the tokens behind a block
  Features,  ///< what the network's final norm and projection make of them
};

/// A vector that patches were compared with, and what their tokens went through before.
struct ComparedVector {
  /// The vector's name, as in TokenVector.
  std::string name;
  /// `the final norm and projection`, `the final norm`, or empty for the tokens behind the block.
  std::string behind;
  /// True if norm and projection are those of a later block.
  bool isEarly = false;
};

/// The number of a patch that decides whether it is foreground in a map of components.
enum class ForegroundBy {
  Component,  ///< the first component of all patches
  Query,      ///< the cosine of the angle to the token that is asked about
};

/// The most pictures that the window keeps, and that a workspace may name.
inline constexpr std::size_t mostKeptPictures = 16;

/// The most vectors that are compared at once.
inline constexpr std::size_t mostTokenVectors = 64;

struct TokenSettings {
  TokenQuantity of = TokenQuantity::Similarity;
  /// Patches whose first component lies below this percentage of the way from the smallest to the
  /// largest are background; the rest gets components of its own ("DINOv2: Learning Robust Visual
  /// Features without Supervision", 2023, arXiv 2304.07193, Section 7.6). By the query, it is a
  /// percentage of a cosine of 1, whatever cosines the picture has. 0 for all patches.
  int foreground = 0;
  ForegroundBy foregroundBy = ForegroundBy::Component;
  /// A patch is an outlier if its norm is more than this multiple of the median norm. ("Vision
  /// Transformers Need Registers", 2023, arXiv 2309.16588, Section 2.1, draws the line at 150,
  /// while most norms of DINOv2 ViT-g lie below 100.)
  double outlierRatio = 2;
  MatchedPatches matched = MatchedPatches::All;
  /// The largest number of matches that are drawn as lines, those with the largest cosine first.
  int lines = 50;
  /// Paths of .npy files whose vectors take the place of the query's token in similarity.
  std::vector<std::string> vectors = {};
  ComparedTokens compared = ComparedTokens::Fitting;
  /// Paths of the pictures that were kept, for the window and `--basis`: components are fitted on
  /// them instead of on the present one, and similarity and matches reach to them.
  std::vector<std::string> kept = {};
  /// How each of the kept pictures was read when it was kept, in the order of `kept`. A picture
  /// without an entry is read as the present one is.
  std::vector<PictureReading> keptReadings = {};

  /// True if components are shown of what is like the query's token.
  bool asksForeground() const {
    return of == TokenQuantity::Components && foregroundBy == ForegroundBy::Query && foreground > 0;
  }
  /// True if similarity is to vectors of files.
  bool comparesVectors() const { return of == TokenQuantity::Similarity && !vectors.empty(); }
  /// True if what is shown depends on the query.
  bool asksQuery() const {
    return (of == TokenQuantity::Similarity && vectors.empty()) || asksForeground() ||
           (of == TokenQuantity::Matches && matched == MatchedPatches::Query);
  }
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
  /// Components: the number of models that were analysed together, and the names of the pictures
  /// that they were fitted on, unless it was one picture alone.
  int together = 1;
  std::vector<std::string> fittedOn;
  /// Components whose foreground is like the query's token: the least cosine at which a patch
  /// counts as foreground, and the cosines of all patches, [patches].
  std::optional<double> leastCosine;
  Vector cosines;
  /// Similarity to a token, and such components: the place on the picture that was asked about, the
  /// tokens of that picture, and the token there.
  PictureQuery query;
  AnalysedTokens asked;
  int token = 0;
  /// Similarity to a vector of a file instead.
  std::optional<ComparedVector> vector;
  /// Similarity to a token of another picture: the patch that is most alike.
  std::optional<int> best;
  /// Norms: the median norm of the patches, the outliers (largest first), and the norms of the
  /// tokens before the patches.
  float median = 0;
  std::vector<int> outliers;
  Vector prefixNorms;
};

/// Returns the index of the token of a layer that a query refers to.
int tokenAt(const LayerTokens& layer, const PictureExtent& extent, const PictureQuery& query);

/// Returns the cosine of the angle between each row of `patches`, whose l2 norms are `norms`, and a
/// vector of the given length: [patches]. It is 0 for a row of zeros.
Vector cosinesTo(const Eigen::Ref<const Matrix>& patches, const Vector& norms,
                 const Vector& direction, float length);

/// Returns the cosine of the angle between a token of `asked` and each patch of `layer`, which may
/// be the same: [patches]. One product of a matrix and a vector, fast enough to follow the mouse.
Vector cosineSimilarity(const LayerTokens& layer, const LayerTokens& asked, int token);

/// Returns the map of the l2 norms of one block's tokens: those of the patches, [patches], with
/// their median and outliers, which are above `outlierRatio` times the median, and those of the
/// tokens before the patches.
TokenMap normMap(const AnalysedTokens& of, double outlierRatio);

/// True if the map answers a query on its own picture, where the query's place can be marked.
bool isAskedOn(const TokenMap& map);

/// Returns the components of the layers of several pictures and models. They are fitted on the
/// patches of `basis` or, if that is empty, of `layers` themselves. The first layers of all models
/// on all pictures are analysed together, likewise their second ones and so on, if they have the
/// same number of channels, so that colours mean the same in them; otherwise the layers of each
/// model. `foreground` is as in TokenSettings; if `like` is given, it is by the cosine to the token
/// there on the first picture of `layers`. The first component points away from the border of
/// the pictures that it is fitted on, where the second and third have their largest channel
/// positive; colours reach from the smallest to the largest value there, and other pictures take
/// the end colours beyond. The order of pictures changes nothing but rounding.
std::vector<TokenMap> componentMaps(const std::vector<AnalysedTokens>& layers, int foreground,
                                    const std::vector<AnalysedTokens>& basis = {},
                                    const std::optional<PictureQuery>& like = {});

/// Returns the layer of the first picture that belongs to each of `layers`: of the same model, at
/// the same place in the order of its layers.
std::vector<AnalysedTokens> onFirstPicture(const std::vector<AnalysedTokens>& layers);

/// Returns the maps that `settings` asks for, for all layers; if they depend on the query, one map
/// for each query on the first picture, whose token all pictures are compared with. `basis` is that
/// of componentMaps(). Matches are no maps, but layerMatches(), and vectors are compared by
/// vectorMaps().
std::vector<TokenMap> tokenMaps(const std::vector<AnalysedTokens>& layers,
                                const TokenSettings& settings,
                                const std::vector<PictureQuery>& queries,
                                const std::vector<AnalysedTokens>& basis = {});

/// Returns the name of what a map compares with: `patch (12, 7)`, `token 0`, `cat.npy`.
std::string tokenNameOf(const TokenMap& map);

/// Returns the name of a patch of a layer: `(12, 7)`.
std::string patchName(const LayerTokens& layer, int patch);

/// Returns `MODEL.LAYER.similarity` or `.components` (numbered from 2 for further queries) or
/// `.norms` (with `.prefix_norms`), as [height, width] or [height, width, 3] of the grid, with the
/// layer's dots as underscores. Among several pictures, names begin with the picture's.
NamedArrays tokenArrays(const std::vector<TokenMap>& maps);

}  // namespace softscope
