#include "widgets/analysis/SurveyPlots.h"
#include "widgets/analysis/SurveySlots.h"

#include <cmath>
#include <map>
#include <utility>

namespace softscope {
namespace {

/// Adds the point of a series at (x, y), with an error bar of half-length `reach`.
void addMark(std::map<QString, PlotCurve>& curves, const QString& group, const QColor& color,
             double x, double y, double reach) {
  PlotCurve& curve = curves[group];
  curve.name = curve.group = group;
  curve.color = color;
  curve.line = PlotCurve::Line::None;
  curve.x.push_back(x);
  curve.y.push_back(y);
  curve.reach.push_back(std::isnan(reach) ? 0 : reach);
}

void addCurvesInOrder(Plot& plot, std::map<QString, PlotCurve>& curves,
                      const std::vector<QString>& order) {
  for (const QString& name : order) {
    const auto found = curves.find(name);
    if (found != curves.end()) plot.curves.push_back(std::move(found->second));
  }
}

}  // namespace

void addMeans(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyPalette& palette) {
  std::map<int, std::vector<const SurveySeries*>> byPlot;
  for (const SurveySeries& series : answer.series) {
    const bool apart = palette.byClass() && series.unit.layer >= 0;
    byPlot[apart ? series.unit.model : -1].push_back(&series);
  }
  for (const auto& [model, group] : byPlot) {
    const bool wholeModels = group.front()->unit.layer < 0;
    const SurveySlots places(*answer.index, group);
    Plot plot;
    plot.y.label = measureAxisLabel(answer.firstMeasure());
    if (model >= 0) plot.title = surveyModelName(answer, model);
    if (wholeModels) {
      for (const int each : palette.models()) plot.x.names.push_back(surveyModelName(answer, each));
    } else {
      plot.x.names = places.names();
    }
    const int beside = palette.byClass() ? static_cast<int>(palette.classes().size())
                       : wholeModels     ? 1
                                         : static_cast<int>(palette.models().size());
    std::map<QString, PlotCurve> curves;
    for (const SurveySeries* series : group) {
      const int slot = wholeModels ? palette.modelPlace(series->unit.model)
                                   : places.of(*answer.index, series->unit);
      const int k = palette.byClass() ? palette.classPlace(series->ofClass)
                    : wholeModels     ? 0
                                      : palette.modelPlace(series->unit.model);
      addMark(curves, palette.group(*series), palette.color(*series), placeInSlot(slot, k, beside),
              series->summary.mean, series->summary.standardError);
    }
    addCurvesInOrder(plot, curves, palette.groups());
    addPlot(drawing, std::move(plot));
  }
  shapePlots(drawing.plots);
  shareVerticalRange(drawing.plots);
}

void addDifferences(SurveyDrawing& drawing, const SurveyAnswer& answer,
                    const SurveyPalette& palette) {
  std::map<int, std::vector<SurveyDifference>> byModel;
  for (const SurveyDifference& each : differencesOf(answer)) {
    byModel[each.unit.model].push_back(each);
  }
  for (const int model : palette.models()) {
    const auto found = byModel.find(model);
    if (found == byModel.end()) continue;
    std::vector<SurveySeries> shown;
    for (const SurveyDifference& each : found->second) {
      SurveySeries series;
      series.unit = each.unit;
      series.ofClass = each.ofClass;
      shown.push_back(std::move(series));
    }
    std::vector<const SurveySeries*> group;
    for (const SurveySeries& series : shown) group.push_back(&series);
    const SurveySlots places(*answer.index, group);
    Plot plot;
    plot.title = QStringLiteral("%1 − %2").arg(
        surveyModelName(answer, model), surveyModelName(answer, found->second.front().reference));
    plot.y.label = QStringLiteral("difference");
    plot.x.names = places.names();
    if (places.count() == 1 && plot.x.names.front().isEmpty()) {
      plot.x.names = {palette.byClass() ? QStringLiteral("classes")
                                        : QStringLiteral("all pictures")};
    }
    plot.levels.push_back({Qt::Horizontal, 0, {}});
    const int beside = palette.byClass() ? static_cast<int>(palette.classes().size()) : 1;
    std::map<QString, PlotCurve> curves;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const PairedDifference& of = found->second[i].difference;
      const int k = palette.byClass() ? palette.classPlace(shown[i].ofClass) : 0;
      addMark(curves, palette.group(shown[i]), palette.color(shown[i]),
              placeInSlot(places.of(*answer.index, shown[i].unit), k, beside), of.mean,
              of.jointHigh - of.mean);
    }
    addCurvesInOrder(plot, curves, palette.groups());
    // Without classes the title already names the model.
    for (PlotCurve& curve : plot.curves) {
      if (!palette.byClass()) curve.group.clear();
    }
    addPlot(drawing, std::move(plot));
  }
  shapePlots(drawing.plots);
}

}  // namespace softscope
