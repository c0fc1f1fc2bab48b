#include "widgets/analysis/SurveyPlots.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace softscope {
namespace {

/// The largest number of points drawn beyond the whiskers of one box; the outermost ones are kept.
constexpr std::size_t mostOutliers = 200;

/// Series that share a plot, in order.
struct SurveyGroup {
  QString title;
  std::vector<const SurveySeries*> series;
};

/// Returns the series grouped by plot: one plot per model, or a single one for measures of whole
/// models; if classes are shown separately, one plot per layer of each model.
std::vector<SurveyGroup> boxGroups(const SurveyAnswer& answer, bool byClass) {
  std::vector<SurveyGroup> groups;
  std::map<std::pair<int, int>, std::size_t> known;
  for (const SurveySeries& series : answer.series) {
    const SurveyIndex::Unit& unit = series.unit;
    const bool wholeModels = unit.layer < 0;
    const std::pair key(wholeModels ? -1 : unit.model, byClass && unit.head >= 0 ? unit.layer : -1);
    const auto [place, isNew] = known.emplace(key, groups.size());
    if (isNew) {
      QString title = wholeModels ? QString() : surveyModelName(answer, unit.model);
      if (key.second >= 0) {
        title += QStringLiteral(" · ") + QString::fromStdString(answer.index->layerName(unit));
      }
      groups.push_back({title, {}});
    }
    groups[place->second].series.push_back(&series);
  }
  return groups;
}

/// Returns the pictures beyond the whiskers of a box; only the outermost if there are many.
std::vector<std::size_t> outliersOf(const SurveySeries& series) {
  std::vector<std::size_t> outliers;
  const std::vector<double>& values = series.values.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (isOutlier(values[i], series.summary)) outliers.push_back(i);
  }
  if (outliers.size() <= mostOutliers) return outliers;
  const double median = series.summary.median;
  const auto last = outliers.begin() + mostOutliers;
  std::nth_element(outliers.begin(), last, outliers.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(values[a] - median) > std::abs(values[b] - median);
  });
  outliers.erase(last, outliers.end());
  std::sort(outliers.begin(), outliers.end());
  return outliers;
}

std::size_t placeOf(const SurveyAnswer& answer, const SurveySeries& series) {
  return static_cast<std::size_t>(&series - answer.series.data());
}

void addBoxPlot(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyGroup& group,
                const SurveyPalette& palette) {
  Plot plot;
  plot.title = group.title;
  plot.y.label = measureAxisLabel(answer.firstMeasure());
  const bool wholeModels = group.series.front()->unit.layer < 0;
  const SurveySlots places(*answer.index, group.series);
  if (wholeModels) {
    for (const int model : palette.models()) plot.x.names.push_back(surveyModelName(answer, model));
  } else {
    plot.x.names = places.names();
  }
  const int beside = palette.byClass() ? static_cast<int>(palette.classes().size()) : 1;
  std::vector<std::vector<SurveyPoint>> points;
  for (const SurveySeries* series : group.series) {
    if (series->summary.count == 0) continue;
    const int slot = wholeModels ? palette.modelPlace(series->unit.model)
                                 : places.of(*answer.index, series->unit);
    const MeasureSummary& summary = series->summary;
    PlotBox box;
    box.name = surveySeriesName(answer, *series);
    // Without classes, titles or names below already say which model a box belongs to.
    if (palette.byClass()) box.group = palette.group(*series);
    box.color = palette.color(*series);
    box.x = placeInSlot(slot, palette.byClass() ? palette.classPlace(series->ofClass) : 0, beside);
    box.width = roomOfSlot / beside * 0.85;
    box.low = summary.lowerWhisker;
    box.quartile1 = summary.quartile1;
    box.median = summary.median;
    box.quartile3 = summary.quartile3;
    box.high = summary.upperWhisker;
    PlotCurve outliers;
    outliers.name = box.name;
    outliers.color = box.color;
    outliers.line = PlotCurve::Line::None;
    std::vector<SurveyPoint> of;
    for (const std::size_t i : outliersOf(*series)) {
      outliers.x.push_back(box.x);
      outliers.y.push_back(series->values.values[i]);
      of.push_back({placeOf(answer, *series), i});
    }
    plot.boxes.push_back(std::move(box));
    if (of.empty()) continue;
    plot.curves.push_back(std::move(outliers));
    points.push_back(std::move(of));
  }
  addPlot(drawing, std::move(plot), std::move(points));
}

}  // namespace

void addDistributions(SurveyDrawing& drawing, const SurveyAnswer& answer,
                      const SurveyPalette& palette) {
  for (const SurveyGroup& group : boxGroups(answer, palette.byClass())) {
    addBoxPlot(drawing, answer, group, palette);
  }
  shapePlots(drawing.plots);
  shareVerticalRange(drawing.plots);
}

}  // namespace softscope
