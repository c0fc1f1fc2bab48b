#pragma once

#include "core/survey/reading/MeasureSummary.h"
#include "core/survey/reading/PairedDifference.h"
#include "core/survey/reading/SurveyReader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace softscope {

/// Counts of the values in bins of equal width.
struct Histogram {
  double low = 0;
  double high = 1;
  std::vector<std::int64_t> counts;

  /// Returns the bin of a value, with the upper end included in the last bin; -1 outside and for
  /// NaN.
  int binOf(double value) const;
  /// Returns the lower edge of a bin or, for the number of bins, the upper edge of the last one.
  double edge(int bin) const;
};

/// Counts `values`, which may contain NaN, in `bins` bins from the smallest to the largest; in a
/// single bin if all are equal, and in none if none is defined.
Histogram histogramOf(std::span<const double> values, int bins);

/// A question to a survey. Empty lists stand for all.
struct SurveyQuestion {
  std::string measure;
  /// A second measure of the same pictures, or empty.
  std::string against;
  bool byClass = false;
  std::vector<std::string> models;
  /// Names of layers, or patterns.
  std::vector<std::string> layers;
  std::vector<int> heads;

  bool operator==(const SurveyQuestion&) const = default;
};

/// The values of one unit, for all of its pictures or for those of one class.
struct SurveySeries {
  SurveyIndex::Unit unit;
  /// Index of the class whose pictures the values are of, or -1 for pictures without a class; empty
  /// if all classes are taken together.
  std::optional<int> ofClass;
  /// One value for each picture.
  UnitValues values;
  /// The second measure's value for each picture; empty if none was asked for.
  std::vector<double> against;
  MeasureSummary summary;
};

struct SurveyAnswer {
  std::shared_ptr<const SurveyIndex> index;
  /// Index of the measure, and of the second one; -1 if no second measure was asked for.
  int measure = -1;
  int against = -1;
  /// The series in the file's order, with the classes of a unit next to each other.
  std::vector<SurveySeries> series;

  const SurveyIndex::Measure& firstMeasure() const;
  const SurveyIndex::Measure& secondMeasure() const;
  /// Returns the models that have series, in their order.
  std::vector<int> models() const;
  /// Returns the names of models().
  std::vector<std::string> modelNames() const;
  std::vector<std::optional<int>> classes() const;
};

/// Reads the answer from the survey's values. Of two measures with different scopes, the units are
/// those of the narrower scope, and the wider measure's value is that of the layer or model they
/// belong to. If the measure, a model, a layer or a head does not exist, throws a SurveyError that
/// lists what there is. Throws Cancelled.
SurveyAnswer answerSurvey(SurveyColumns& survey, const SurveyQuestion& question,
                          const Progress& progress = Progress());

/// Returns a unit as text: `soft_tiny · block1.0.attn · head 3`.
std::string unitText(const SurveyIndex& index, const SurveyIndex::Unit& unit);

}  // namespace softscope
