#include "widgets/analysis/SurveyPlots.h"

#include <cmath>
#include <functional>
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

/// Returns the place and the colour of a difference, as a series without values.
SurveySeries seriesOf(const SurveyDifference& difference) {
  SurveySeries series;
  series.unit = difference.unit;
  series.ofClass = difference.ofClass;
  return series;
}

Plot differencePlot() {
  Plot plot;
  plot.y.label = QStringLiteral("difference");
  plot.levels.push_back({Qt::Horizontal, 0, {}});
  return plot;
}

/// Adds a plot of the differences of each model, whose title is that of its first one.
void addDifferencePlots(SurveyDrawing& drawing, const SurveyAnswer& answer,
                        const SurveyPalette& palette,
                        const std::vector<SurveyDifference>& differences,
                        const std::function<QString(const SurveyDifference&)>& title) {
  std::map<int, std::vector<SurveyDifference>> byModel;
  for (const SurveyDifference& each : differences) byModel[each.unit.model].push_back(each);
  for (const int model : palette.models()) {
    const auto found = byModel.find(model);
    if (found == byModel.end()) continue;
    std::vector<SurveySeries> shown;
    for (const SurveyDifference& each : found->second) shown.push_back(seriesOf(each));
    std::vector<const SurveySeries*> group;
    for (const SurveySeries& series : shown) group.push_back(&series);
    const SurveySlots places(*answer.index, group);
    Plot plot = differencePlot();
    plot.title = title(found->second.front());
    plot.x.names = places.names();
    if (places.count() == 1 && plot.x.names.front().isEmpty()) {
      plot.x.names = {palette.byClass() ? QStringLiteral("classes")
                                        : QStringLiteral("all pictures")};
    }
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

/// Adds one plot in which every model has a place.
void addContrastOfModels(SurveyDrawing& drawing, const SurveyAnswer& answer,
                         const SurveyPalette& palette,
                         const std::vector<SurveyDifference>& contrasts) {
  Plot plot = differencePlot();
  plot.title = measuresApart(answer);
  for (const int model : palette.models()) plot.x.names.push_back(surveyModelName(answer, model));
  const int beside = palette.byClass() ? static_cast<int>(palette.classes().size()) : 1;
  std::map<QString, PlotCurve> curves;
  for (const SurveyDifference& each : contrasts) {
    const SurveySeries series = seriesOf(each);
    const int k = palette.byClass() ? palette.classPlace(each.ofClass) : 0;
    addMark(curves, palette.group(series), palette.color(series),
            placeInSlot(palette.modelPlace(each.unit.model), k, beside), each.difference.mean,
            each.difference.jointHigh - each.difference.mean);
  }
  addCurvesInOrder(plot, curves, palette.groups());
  // The axis names the models.
  for (PlotCurve& curve : plot.curves) {
    if (!palette.byClass()) curve.group.clear();
  }
  addPlot(drawing, std::move(plot));
  shapePlots(drawing.plots);
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
  addDifferencePlots(drawing, answer, palette, differencesOf(answer),
                     [&](const SurveyDifference& of) {
                       return QStringLiteral("%1 − %2").arg(surveyModelName(answer, of.unit.model),
                                                            surveyModelName(answer, of.reference));
                     });
}

void addContrasts(SurveyDrawing& drawing, const SurveyAnswer& answer,
                  const SurveyPalette& palette) {
  const std::vector<SurveyDifference> contrasts = contrastsOf(answer);
  if (contrasts.front().unit.layer < 0) {
    addContrastOfModels(drawing, answer, palette, contrasts);
    return;
  }
  addDifferencePlots(drawing, answer, palette, contrasts, [&](const SurveyDifference& of) {
    return surveyModelName(answer, of.unit.model) + QStringLiteral(": ") + measuresApart(answer);
  });
}

}  // namespace softscope
