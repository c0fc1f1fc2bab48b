#pragma once

#include "core/model/ModelSummary.h"
#include "core/query/DifferenceValues.h"
#include "core/query/QueriedLayer.h"

#include <span>
#include <string>
#include <vector>

namespace softscope {

/// One layer of one model in a comparison.
struct CompareRow {
  std::string modelName;
  /// Follows the mechanism, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  /// `tabby 87 %`; empty for a backbone.
  std::string prediction;
  /// The part of the picture that this model saw.
  PictureRegion region;
  LayerInspection layer;
  /// `input 96 × 128`: what the network was fed; empty if not known.
  std::string input = {};
};

/// The row of a model that looked at a picture, without its prediction.
CompareRow compareRow(const ModelSummary& summary, const LayerInspection& layer,
                      const PictureRegion& region);

/// Row `first` minus row `second`.
struct RowDifference {
  int first = 0;
  int second = 1;
  /// Divides each map by its largest magnitude before, for mechanisms whose values differ by orders
  /// of magnitude.
  bool normalised = false;

  bool operator==(const RowDifference&) const = default;
};

/// `A − B`, by the models' names, or by their mechanisms where one model is compared with itself.
std::string differenceName(const CompareRow& first, const CompareRow& second);

/// What rows are asked. It must not outlive what it points to.
struct ComparedQuestion {
  /// Null for an input that was not a picture.
  const Picture* picture = nullptr;
  std::span<const CompareRow> rows;
  std::span<const RowDifference> differences;
  std::span<const PictureQuery> queries;
  ShownHeads shown;
  Direction direction = Direction::Rows;
  /// Rows without that map answer with their attention.
  ShownMap map = ShownMap::Attention;
};

/// What a row answers to a query, or a difference of two.
struct ComparedAnswer {
  /// Index into ComparedQuestion::queries.
  int query = 0;
  /// Index into ComparedQuestion::rows, or, where `isDifference`, ::differences.
  int row = 0;
  bool isDifference = false;
  /// The row on whose patches the values lie, and it asked: of a difference the one whose are
  /// finer.
  int on = 0;
  QueriedLayer asked;
  /// One for each head that is shown; none where there is no difference.
  std::vector<AttentionValues> values;
  /// Means over heads were subtracted, as heads are not as many.
  bool ofMeans = false;
  /// One of the two was brought onto the other's patches.
  bool resampled = false;
  /// Why there is no difference.
  std::string obstacle;
  /// What names of its arrays begin with: `MODEL.LAYER.QUERY`, or `A_minus_B.QUERY`, MODEL being
  /// the row's name, numbered where it repeats.
  std::string name;
};

/// Query by query the rows, then the differences. Throws InspectionError for a head or a row that
/// is not there.
std::vector<ComparedAnswer> compareAnswers(const ComparedQuestion& question);

/// The numbers of all answers, named as answerArrays() does after their own names.
NamedArrays comparedArrays(const std::vector<ComparedAnswer>& answers);

}  // namespace softscope
