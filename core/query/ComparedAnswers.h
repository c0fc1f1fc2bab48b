#pragma once

#include "core/model/ModelSummary.h"
#include "core/query/AttentionValues.h"
#include "core/query/QueriedLayer.h"
#include "core/query/QueryToken.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace softscope {

/// One head's answer, and the part of the picture that its patches cover.
struct LocatedValues {
  AttentionValues values;
  PictureRegion region;
  /// The area of the picture that each weight on a patch is given to, which is that of a key; empty
  /// if keys are no patches, or if the values are the weights on a single token.
  std::optional<double> keyArea = {};
  /// True if the values are what all queries give to one key.
  bool isOfOneKey = false;
};

/// Returns the answer resampled onto `grid` over `region`: every patch is the mean of the patches
/// it covers, weighted by area; NaN if it covers none.
LocatedValues resampled(const LocatedValues& from, const TokenGrid& grid,
                        const PictureRegion& region);

/// Returns `first` minus `second`, patch by patch, with the coarser one resampled onto the finer
/// one. The weights on larger keys are shared out by area: a key of the finer one takes the share
/// of a weight that it covers, so that both maps of uniform attention are the same. If
/// `normalised`, each map is divided by its largest magnitude instead. Throws InspectionError if
/// only one of the two lies on the picture, or if their numbers of values differ.
LocatedValues difference(const LocatedValues& first, const LocatedValues& second, bool normalised);

/// One layer of one model in a comparison.
struct CompareRow {
  std::string modelName;
  /// Appended to the mechanism, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  /// The prediction in words: `tabby 87 %`; empty for a backbone.
  std::string prediction;
  /// The part of the picture that this model saw.
  PictureRegion region;
  LayerInspection layer;
  /// The size of the network's input: `input 96 × 128`; empty if not known.
  std::string input = {};
  /// The one head that the row shows; empty for those that the question names.
  std::optional<int> head = {};
};

/// Returns the row of a model that was run on a picture, without its prediction.
CompareRow compareRow(const ModelSummary& summary, const LayerInspection& layer,
                      const PictureRegion& region);

/// Row `first` minus row `second`.
struct RowDifference {
  int first = 0;
  int second = 1;
  /// Divide each map by its largest magnitude first, for mechanisms whose values differ by orders
  /// of magnitude.
  bool normalised = false;

  bool operator==(const RowDifference&) const = default;
};

/// Returns the name of the difference, `A − B`: from the models' names, or from their mechanisms if
/// a model is compared with itself. Rows of one head are named by their layers and heads as well.
std::string differenceName(const CompareRow& first, const CompareRow& second);

/// The rows, queries and settings of a comparison. Must not outlive the objects that it points to.
struct ComparedQuestion {
  /// Null for an input that was not a picture.
  const Picture* picture = nullptr;
  std::span<const CompareRow> rows;
  std::span<const RowDifference> differences;
  std::span<const PictureQuery> queries;
  ShownHeads shown;
  Direction direction = Direction::Rows;
  /// The map that answers; rows without it answer with their attention.
  ShownMap map = ShownMap::Attention;
};

/// A row's answer to a query, or the difference of two rows' answers.
struct ComparedAnswer {
  /// Index into ComparedQuestion::queries.
  int query = 0;
  /// Index into ComparedQuestion::rows or, if `isDifference`, into ::differences.
  int row = 0;
  bool isDifference = false;
  /// Index of the row whose patches the values lie on, and that row's answer; for a difference, the
  /// row with the finer patches.
  int on = 0;
  QueriedLayer asked;
  /// One for each shown head; empty if there is no difference.
  std::vector<AttentionValues> values;
  /// True if means over heads were subtracted because the numbers of heads differ.
  bool ofMeans = false;
  /// True if one of the two answers was resampled onto the other's patches.
  bool resampled = false;
  /// True if the weights of one of the two were shared out by area, because its keys are larger or
  /// smaller than the other's.
  bool sharedOut = false;
  /// The reason why there is no difference; empty otherwise.
  std::string obstacle;
  /// Prefix of the names of its arrays: `MODEL.LAYER.QUERY`, or `A_minus_B.QUERY`, where MODEL is
  /// the row's name, numbered if it repeats.
  std::string name;
};

/// Returns for each query the answers of all rows, then the differences. Throws InspectionError for
/// a head or a row that does not exist.
std::vector<ComparedAnswer> compareAnswers(const ComparedQuestion& question);

/// Returns the numbers of all answers; array names begin with ComparedAnswer::name and end as in
/// answerArrays().
NamedArrays comparedArrays(const std::vector<ComparedAnswer>& answers);

}  // namespace softscope
