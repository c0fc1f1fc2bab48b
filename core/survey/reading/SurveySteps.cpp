#include "core/survey/reading/SurveySteps.h"

#include "core/array/ComparedSentence.h"
#include "core/survey/reading/MeasureSummary.h"
#include "core/text/Names.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

/// True if a series belongs to a unit of the same name and class as the curve, in any model.
bool isOfCurve(const SurveyAnswer& answer, const SurveySeries& series, const SurveyCurve& curve) {
  return answer.index->layerName(series.unit) == curve.layer &&
         answer.index->headNumber(series.unit) == curve.head && series.ofClass == curve.ofClass;
}

void addPoint(std::vector<SurveyCurve>& curves, std::size_t firstOfTraining,
              const SurveyAnswer& answer, const std::string& training, std::int64_t step,
              std::size_t index) {
  const SurveySeries& series = answer.series[index];
  const auto begin = curves.begin() + static_cast<std::ptrdiff_t>(firstOfTraining);
  auto curve = std::find_if(begin, curves.end(), [&](const SurveyCurve& each) {
    return isOfCurve(answer, series, each);
  });
  if (curve == curves.end()) {
    curves.push_back({.training = training,
                      .layer = answer.index->layerName(series.unit),
                      .head = answer.index->headNumber(series.unit),
                      .ofClass = series.ofClass,
                      .points = {}});
    curve = std::prev(curves.end());
  }
  curve->points.push_back({step, index});
}

/// Compares the means at the first and the last step of every training, head by head; empty if
/// classes are apart.
std::string stepsSentence(const SurveyAnswer& answer, const std::vector<SurveyCurve>& curves) {
  if (!curves.empty() && curves.front().ofClass) return {};
  Table ends{{"step", "layer", "head", "mean"}, {}};
  for (const SurveyCurve& curve : curves) {
    if (curve.points.size() < 2) continue;
    for (const SurveyCurve::Point& point : {curve.points.front(), curve.points.back()}) {
      const double mean = answer.series[point.series].summary.mean;
      ends.add({"step " + std::to_string(point.step) + " of " + curve.training, curve.layer,
                std::int64_t{curve.head}, mean});
    }
  }
  const std::string quantity = "the mean of " + answer.firstMeasure().name;
  return comparedSentence(ends, {.quantity = quantity.c_str(), .column = "mean", .groups = "step"});
}

}  // namespace

std::string stepsObstacle(const std::vector<std::string>& models) {
  if (std::ranges::any_of(groupByNumber(models), &NumberedNames::isSeries)) return {};
  return "no models are steps of one training: their names must differ in a number, such as "
         "epoch_05 and epoch_10";
}

std::vector<SurveyCurve> curvesOverSteps(const SurveyAnswer& answer) {
  const std::vector<int> models = answer.models();
  std::vector<SurveyCurve> curves;
  for (const NumberedNames& training : groupByNumber(answer.modelNames())) {
    if (!training.isSeries()) continue;
    const std::size_t first = curves.size();
    for (const NumberedNames::Member& member : training.members) {
      for (std::size_t i = 0; i < answer.series.size(); ++i) {
        if (answer.series[i].unit.model != models[member.index]) continue;
        addPoint(curves, first, answer, training.shared, member.number, i);
      }
    }
  }
  return curves;
}

Table stepTable(const SurveyAnswer& answer) {
  Table table{{"training", "step", "layer", "head", "measure", "class"}, {}};
  appendSummaryColumns(table.columns);
  const std::vector<SurveyCurve> curves = curvesOverSteps(answer);
  table.sentence = stepsSentence(answer, curves);
  for (const SurveyCurve& curve : curves) {
    for (const SurveyCurve::Point& point : curve.points) {
      std::vector<Table::Cell> row{
          curve.training,
          point.step,
          curve.layer,
          curve.head < 0 ? Table::Cell() : Table::Cell(std::int64_t{curve.head}),
          answer.firstMeasure().name,
          curve.ofClass && *curve.ofClass >= 0
              ? Table::Cell(answer.index->classes[static_cast<std::size_t>(*curve.ofClass)])
              : Table::Cell()};
      appendSummary(row, answer.series[point.series].summary);
      table.add(std::move(row));
    }
  }
  return table;
}

}  // namespace softscope
