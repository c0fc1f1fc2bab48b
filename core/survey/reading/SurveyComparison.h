#pragma once

#include "core/array/Table.h"
#include "core/survey/reading/SurveyAnswer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The kinds of figure that a survey offers.
enum class SurveyShow { Distributions, Means, Differences, Contrast, Steps, Histogram, Scatter };

/// Returns true if a kind of figure needs a second measure.
constexpr bool takesTwoMeasures(SurveyShow show) {
  return show == SurveyShow::Scatter || show == SurveyShow::Contrast;
}

/// Returns why an answer has nothing to show; empty if it does.
std::string surveyObstacle(const SurveyAnswer& answer, SurveyShow show);

/// Returns the numbers behind the figure.
Table surveyFigureTable(const SurveyAnswer& answer, SurveyShow show);

/// Largest number of points that a scatter plot draws.
inline constexpr std::size_t mostScattered = 10'000;

/// How far a model's measure differs from the first model's, for the layers and heads that both
/// have under the same name, or for the models as a whole.
struct SurveyDifference {
  SurveyIndex::Unit unit;
  int reference = 0;
  std::optional<int> ofClass;
  PairedDifference difference;
};

/// Returns the differences of all models from the first; empty for a single model, and for models
/// that share no layers. Joint intervals are corrected for the number of differences.
std::vector<SurveyDifference> differencesOf(const SurveyAnswer& answer);

/// Returns, for each unit of a question of two measures, the first measure less the second, picture
/// by picture; `reference` is the unit's own model. Joint intervals are corrected for the number of
/// differences.
std::vector<SurveyDifference> contrastsOf(const SurveyAnswer& answer);

/// Returns the number of differences that have intervals.
std::int64_t comparedCount(const std::vector<SurveyDifference>& differences);

/// The values of a model, with all its layers and heads together, in the same bins as every other
/// model's.
struct SurveyHistogram {
  int model = 0;
  std::optional<int> ofClass;
  Histogram histogram;
};

std::vector<SurveyHistogram> histogramsOf(const SurveyAnswer& answer);

/// A pair of values and its origin.
struct SurveyPoint {
  /// Index among the answer's series, and within that series.
  std::size_t series = 0;
  std::size_t index = 0;
};

/// Returns the points for which both measures are defined; if there are more than `most`, an evenly
/// spaced selection of them.
std::vector<SurveyPoint> scatteredPoints(const SurveyAnswer& answer, std::size_t most);
/// Returns the number of points in all.
std::size_t scatteredCount(const SurveyAnswer& answer);

/// Returns Pearson's correlation of both measures of a model, of one class or of all; nothing for
/// fewer than three points, or if one measure is constant.
std::optional<double> correlationOf(const SurveyAnswer& answer, int model,
                                    std::optional<int> ofClass = std::nullopt);

// Tables of what figures show. Each begins with `model,layer,head` as far as these apply.
/// Returns the table of surveySummary() for what was asked.
Table summaryTable(const SurveyAnswer& answer);
/// Returns
/// `model,reference,layer,head,measure,class,count,difference,standard_error,low,high,comparisons,
/// joint_low,joint_high,bootstrap_low,bootstrap_high`.
Table differenceTable(const SurveyAnswer& answer);
/// Returns the same for contrastsOf(), with `against`, the second measure, in place of `reference`
/// and behind `measure`.
Table contrastTable(const SurveyAnswer& answer);
/// Returns `model,measure,class,low,high,count`.
Table histogramTable(const SurveyAnswer& answer);
/// Returns `model,layer,head,picture,class` and both measures by their names.
Table scatterTable(const SurveyAnswer& answer, std::size_t most);

}  // namespace softscope
