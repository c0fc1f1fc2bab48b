#include "core/survey/reading/SurveySteps.h"
#include "widgets/analysis/SurveyPlots.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace softscope {

namespace {

/// Gives curves colours and legend entries: those of their class if classes stand apart, of their
/// layer if there are several, otherwise of their head.
class StepColors {
 public:
  StepColors(const SurveyAnswer& answer, const std::vector<SurveyCurve>& curves)
      : answer_(answer), byLayer_(countOf(curves, &SurveyCurve::layer) > 1) {
    for (const SurveyCurve& curve : curves) {
      const QString group = groupOf(curve);
      if (!places_.contains(group)) places_.emplace(group, static_cast<int>(places_.size()));
    }
    colors_ = curveColors(static_cast<int>(places_.size()));
  }

  QString groupOf(const SurveyCurve& curve) const {
    if (curve.ofClass) return surveyClassName(answer_, curve.ofClass);
    if (byLayer_) return QString::fromStdString(curve.layer);
    if (curve.head >= 0) return QStringLiteral("head %1").arg(curve.head);
    return QString::fromStdString(curve.layer);
  }
  QColor colorOf(const SurveyCurve& curve) const {
    return colors_[static_cast<std::size_t>(places_.at(groupOf(curve)))];
  }

 private:
  template <typename Member>
  static std::size_t countOf(const std::vector<SurveyCurve>& curves, Member member) {
    std::set<std::string> found;
    for (const SurveyCurve& curve : curves) found.insert(curve.*member);
    return found.size();
  }

  const SurveyAnswer& answer_;
  bool byLayer_;
  std::map<QString, int> places_;
  std::vector<QColor> colors_;
};

QString nameOf(const SurveyAnswer& answer, const SurveyCurve& curve) {
  QStringList parts;
  if (!curve.layer.empty()) parts += QString::fromStdString(curve.layer);
  if (curve.head >= 0) parts += QStringLiteral("head %1").arg(curve.head);
  if (curve.ofClass) parts += surveyClassName(answer, curve.ofClass);
  return parts.isEmpty() ? QString::fromStdString(curve.training)
                         : parts.join(QStringLiteral(" · "));
}

PlotCurve plotCurve(const SurveyAnswer& answer, const SurveyCurve& of, const StepColors& colors) {
  PlotCurve curve;
  curve.name = nameOf(answer, of);
  curve.group = colors.groupOf(of);
  curve.color = colors.colorOf(of);
  curve.points = true;
  for (const SurveyCurve::Point& point : of.points) {
    const MeasureSummary& summary = answer.series[point.series].summary;
    curve.x.push_back(static_cast<double>(point.step));
    curve.y.push_back(summary.mean);
    curve.reach.push_back(std::isnan(summary.standardError) ? 0 : summary.standardError);
  }
  // A single picture has no standard error.
  if (std::ranges::all_of(curve.reach, [](double reach) { return reach == 0; })) {
    curve.reach.clear();
  }
  return curve;
}

/// Beyond this ratio of the largest to the smallest value, small ones could not be told from zero.
constexpr double widestLinear = 1000;

/// True if all values are positive and too far apart for a linear axis.
bool needsLogarithm(const std::vector<Plot>& plots) {
  double smallest = INFINITY;
  double largest = 0;
  for (const Plot& plot : plots) {
    for (const PlotCurve& curve : plot.curves) {
      for (const double value : curve.y) {
        if (std::isnan(value)) continue;
        smallest = std::min(smallest, value);
        largest = std::max(largest, value);
      }
    }
  }
  return smallest > 0 && largest > widestLinear * smallest;
}

}  // namespace

void addSteps(SurveyDrawing& drawing, const SurveyAnswer& answer) {
  const std::vector<SurveyCurve> curves = curvesOverSteps(answer);
  const StepColors colors(answer, curves);
  std::vector<Plot> plots;
  for (const SurveyCurve& curve : curves) {
    const QString training = QString::fromStdString(curve.training);
    if (plots.empty() || plots.back().title != training) {
      Plot plot;
      plot.title = training;
      plot.x.label = QStringLiteral("step");
      plot.x.counts = true;
      plot.y.label = measureAxisLabel(answer.firstMeasure());
      plots.push_back(std::move(plot));
    }
    plots.back().curves.push_back(plotCurve(answer, curve, colors));
  }
  const bool logarithmic = needsLogarithm(plots);
  for (Plot& plot : plots) {
    plot.y.logarithmic = logarithmic;
    addPlot(drawing, std::move(plot));
  }
  shareVerticalRange(drawing.plots);
}

}  // namespace softscope
