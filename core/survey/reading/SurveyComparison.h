#pragma once

#include "core/array/Table.h"
#include "core/survey/reading/SurveyAnswer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What is looked at of a survey.
enum class SurveyShow { Distributions, Means, Differences, Histogram, Scatter };

/// Why there is nothing to show of an answer; empty if there is.
std::string surveyObstacle(const SurveyAnswer& answer, SurveyShow show);

/// The numbers behind it.
Table surveyFigureTable(const SurveyAnswer& answer, SurveyShow show);

/// Points of a scatter plot that are drawn at most.
inline constexpr std::size_t mostScattered = 10'000;

/// How far a model's measure lies from that of the first one, of the layers and heads that both
/// have by name, or of the models as a whole.
struct SurveyDifference {
  SurveyIndex::Unit unit;
  int reference = 0;
  std::optional<int> ofClass;
  PairedDifference difference;
};

/// Empty for a single model, and for models that share no layers. Their joint intervals are
/// corrected for their number.
std::vector<SurveyDifference> differencesOf(const SurveyAnswer& answer);

/// Of how many there are intervals.
std::int64_t comparedCount(const std::vector<SurveyDifference>& differences);

/// The values of a model, all its layers and heads together, between the same ends as every
/// other's.
struct SurveyHistogram {
  int model = 0;
  std::optional<int> ofClass;
  Histogram histogram;
};

std::vector<SurveyHistogram> histogramsOf(const SurveyAnswer& answer);

/// A value, and what it is of.
struct SurveyPoint {
  /// Among the answer's series, and there.
  std::size_t series = 0;
  std::size_t index = 0;
};

/// The points of two measures that are both defined; where they are more than `most`, evenly spaced
/// ones of them.
std::vector<SurveyPoint> scatteredPoints(const SurveyAnswer& answer, std::size_t most);
/// How many there are in all.
std::size_t scatteredCount(const SurveyAnswer& answer);

/// Pearson's correlation of both measures of a model; nothing for fewer than three points, or where
/// one of them is constant.
std::optional<double> correlationOf(const SurveyAnswer& answer, int model);

// Tables of what figures show, each beginning `model,layer,head` where it is of these.
/// As surveySummary(), of what was asked for.
Table summaryTable(const SurveyAnswer& answer);
/// `model,reference,layer,head,measure,class,count,difference,standard_error,low,high,comparisons,
/// joint_low,joint_high`
Table differenceTable(const SurveyAnswer& answer);
/// `model,measure,class,low,high,count`
Table histogramTable(const SurveyAnswer& answer);
/// `model,layer,head,picture,class` and both measures by their names.
Table scatterTable(const SurveyAnswer& answer, std::size_t most);

}  // namespace softscope
