#pragma once

#include "core/survey/reading/Histogram.h"
#include "core/survey/reading/MeasureSummary.h"
#include "core/survey/reading/PairedDifference.h"
#include "core/survey/reading/SurveyColumns.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What is asked of a survey. Empty lists stand for all.
struct SurveyQuestion {
  std::string measure;
  /// A second measure of the same pictures, or empty.
  std::string against;
  bool byClass = false;
  std::vector<std::string> models;
  /// Names or patterns.
  std::vector<std::string> layers;
  std::vector<int> heads;

  bool operator==(const SurveyQuestion&) const = default;
};

/// The values of one unit, or of its pictures of one class.
struct SurveySeries {
  SurveyIndex::Unit unit;
  /// Nothing where classes are taken together; -1 for pictures without one.
  std::optional<int> ofClass;
  /// One value for each picture.
  UnitValues values;
  /// Of the second measure, beside each; empty where none was asked for.
  std::vector<double> against;
  MeasureSummary summary;
};

struct SurveyAnswer {
  std::shared_ptr<const SurveyIndex> index;
  /// Indices of the index's measures; -1 where no second one was asked for.
  int measure = -1;
  int against = -1;
  /// In the file's order, classes of a unit together.
  std::vector<SurveySeries> series;

  const SurveyIndex::Measure& firstMeasure() const;
  const SurveyIndex::Measure& secondMeasure() const;
  /// Those that have series, in their order.
  std::vector<int> models() const;
  std::vector<std::optional<int>> classes() const;
};

/// Of two measures with different scopes, the units are those of the narrower one, and the wider
/// one's value is that of the layer or model they belong to. Throws SurveyError naming what there
/// is for a measure, a model, a layer or a head that is not there, and Cancelled.
SurveyAnswer answerSurvey(SurveyColumns& survey, const SurveyQuestion& question,
                          const Progress& progress = Progress());

/// A unit as it is read: `soft_tiny · block1.0.attn · head 3`.
std::string unitText(const SurveyIndex& index, const SurveyIndex::Unit& unit);

}  // namespace softscope
