#include "widgets/analysis/SurveyPlots.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {

void addHistograms(SurveyDrawing& drawing, const SurveyAnswer& answer,
                   const SurveyPalette& palette) {
  for (const SurveyHistogram& each : histogramsOf(answer)) {
    const Histogram& histogram = each.histogram;
    SurveySeries of;
    of.unit.model = each.model;
    of.ofClass = each.ofClass;
    Plot plot;
    plot.title = surveyModelName(answer, each.model);
    if (each.ofClass) plot.title += QStringLiteral(" · ") + surveyClassName(answer, each.ofClass);
    plot.x.label = measureLabel(answer.firstMeasure());
    plot.y.label = QStringLiteral("number of values");
    plot.y.counts = true;
    PlotCurve bars;
    bars.name = plot.title;
    bars.color = palette.color(of);
    bars.line = PlotCurve::Line::Bars;
    bars.barWidth = histogram.edge(1) - histogram.edge(0);
    // A single bar of zero width would be invisible.
    if (bars.barWidth <= 0) bars.barWidth = std::max(1e-3, std::abs(histogram.low) * 0.05);
    for (int bin = 0; bin < static_cast<int>(histogram.counts.size()); ++bin) {
      bars.x.push_back((histogram.edge(bin) + histogram.edge(bin + 1)) / 2);
      bars.y.push_back(static_cast<double>(histogram.counts[static_cast<std::size_t>(bin)]));
    }
    plot.curves.push_back(std::move(bars));
    addPlot(drawing, std::move(plot));
  }
  shareVerticalRange(drawing.plots);
}

void addScatter(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyPalette& palette) {
  const std::vector<SurveyPoint> points = scatteredPoints(answer, mostScattered);
  const std::vector<QColor> colors = curveColors(static_cast<int>(palette.models().size()));
  for (const std::optional<int>& ofClass : palette.classes()) {
    Plot plot;
    plot.title = surveyClassName(answer, ofClass);
    plot.x.label = measureLabel(answer.secondMeasure());
    plot.y.label = measureAxisLabel(answer.firstMeasure());
    plot.aspect = 1.25;
    std::vector<std::vector<SurveyPoint>> meanings;
    for (const int model : palette.models()) {
      PlotCurve curve;
      curve.name = surveyModelName(answer, model);
      curve.group = curve.name;
      if (const auto r = correlationOf(answer, model, ofClass)) {
        curve.group +=
            QStringLiteral(" · r = %1").arg(QString::number(*r, 'f', 2).replace(u'-', u'−'));
      }
      curve.color = colors[static_cast<std::size_t>(palette.modelPlace(model))];
      curve.line = PlotCurve::Line::None;
      std::vector<SurveyPoint> of;
      for (const SurveyPoint& point : points) {
        const SurveySeries& series = answer.series[point.series];
        if (series.unit.model != model || series.ofClass != ofClass) continue;
        of.push_back(point);
      }
      // QCustomPlot sorts points by x, so what they stand for must be sorted the same way.
      std::stable_sort(of.begin(), of.end(), [&](const SurveyPoint& a, const SurveyPoint& b) {
        return answer.series[a.series].against[a.index] < answer.series[b.series].against[b.index];
      });
      for (const SurveyPoint& point : of) {
        curve.x.push_back(answer.series[point.series].against[point.index]);
        curve.y.push_back(answer.series[point.series].values.values[point.index]);
      }
      plot.curves.push_back(std::move(curve));
      meanings.push_back(std::move(of));
    }
    addPlot(drawing, std::move(plot), std::move(meanings));
  }
  shareVerticalRange(drawing.plots);
}

}  // namespace softscope
