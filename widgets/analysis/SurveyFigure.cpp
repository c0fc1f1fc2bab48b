#include "widgets/analysis/SurveyFigure.h"

#include "core/text/Words.h"
#include "widgets/analysis/SurveyPlots.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/plot/PlotRange.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// The largest number of boxes or points that are legible in a plot of the usual width.
constexpr std::size_t fewMarks = 12;

/// Returns what the differences mean; `comparisons` is how many there are in all.
QString differenceMeaning(std::int64_t comparisons) {
  const QString meaning =
      QStringLiteral("mean difference of the same pictures, with its 95 % interval");
  if (comparisons < 2) return meaning;
  return meaning + QStringLiteral(", corrected for %1 differences (Bonferroni)").arg(comparisons);
}

const char* valuesAre(SurveyIndex::Scope scope) {
  switch (scope) {
    case SurveyIndex::Scope::Model:
      return "a value for each picture";
    case SurveyIndex::Scope::Layer:
      return "a value for each picture and layer";
    case SurveyIndex::Scope::Head:
      break;
  }
  return "a value for each picture and head";
}

/// True if a plot has a box, or a point that can be drawn.
bool hasValues(const Plot& plot) {
  if (!plot.boxes.empty()) return true;
  return std::ranges::any_of(plot.curves, [&](const PlotCurve& curve) {
    return std::ranges::any_of(curve.y, [&](double y) { return isDrawable(y, plot.y); });
  });
}

/// Returns the layers that the measure is not defined for, which leave their places empty.
std::vector<std::string> layersWithoutValues(const SurveyAnswer& answer) {
  std::vector<std::string> lacking;
  std::set<std::string> having;
  for (const SurveySeries& series : answer.series) {
    const std::string layer = answer.index->layerName(series.unit);
    if (series.summary.count > 0) having.insert(layer);
    if (std::ranges::find(lacking, layer) == lacking.end()) lacking.push_back(layer);
  }
  std::erase_if(lacking, [&having](const std::string& layer) {
    return layer.empty() || having.contains(layer);
  });
  return lacking;
}

QString withoutValuesText(const std::vector<std::string>& layers) {
  const QString first = QString::fromStdString(layers.front());
  if (layers.size() == 1) return QStringLiteral("not defined for %1").arg(first);
  return QStringLiteral("not defined for %1 and %2 more").arg(first).arg(layers.size() - 1);
}

QString aboutSurvey(const SurveyAnswer& answer, SurveyShow show) {
  const SurveyIndex& index = *answer.index;
  QStringList parts;
  parts += QString::fromStdString(countedText(index.readablePictures(), "picture"));
  if (const std::string part = index.partText(); !part.empty()) {
    parts += QString::fromStdString(part);
  }
  if (!answer.firstMeasure().source.empty()) {
    parts += QStringLiteral("%1: %2").arg(QString::fromStdString(answer.firstMeasure().title),
                                          QString::fromStdString(answer.firstMeasure().source));
  }
  if (const auto lacking = layersWithoutValues(answer); !lacking.empty()) {
    parts += withoutValuesText(lacking);
  }
  switch (show) {
    case SurveyShow::Distributions:
      parts += QStringLiteral(
          "boxes: quartiles; whiskers: up to 1.5 quartile distances; points: pictures beyond");
      break;
    case SurveyShow::Means:
      parts += QStringLiteral("means over pictures with their standard errors");
      break;
    case SurveyShow::Differences:
      parts += differenceMeaning(comparedCount(differencesOf(answer)));
      break;
    case SurveyShow::Contrast:
      parts += measuresApart(answer);
      parts += differenceMeaning(comparedCount(contrastsOf(answer)));
      break;
    case SurveyShow::Steps:
      parts += QStringLiteral("means over pictures, with their standard errors, step by step");
      break;
    case SurveyShow::Histogram:
      parts += QLatin1String(valuesAre(answer.firstMeasure().scope));
      break;
    case SurveyShow::Scatter:
      if (const std::size_t count = scatteredCount(answer); count > mostScattered) {
        parts += QStringLiteral("%1 of %2 points, evenly chosen; r of all")
                     .arg(mostScattered)
                     .arg(count);
      }
      break;
  }
  return parts.join(QStringLiteral(" · "));
}

}  // namespace

double placeInSlot(int slot, int k, int count) {
  return slot + roomOfSlot * ((k + 0.5) / count - 0.5);
}

void shapePlots(std::vector<Plot>& plots) {
  std::size_t most = 0;
  for (const Plot& plot : plots) {
    std::size_t marks = plot.boxes.size();
    for (const PlotCurve& curve : plot.curves) {
      if (!curve.reach.empty()) marks += curve.x.size();
    }
    most = std::max(most, marks);
  }
  for (Plot& plot : plots) plot.aspect = most > fewMarks ? 2.4 : 1.2;
}

void shareVerticalRange(std::vector<Plot>& plots) {
  std::optional<std::pair<double, double>> ends;
  for (const Plot& plot : plots) {
    // An empty plot's own axis, from 0 to 1, stands for nothing.
    if (!hasValues(plot)) continue;
    const auto [low, high] = rangeOf(plot).y;
    if (!ends) ends = {low, high};
    ends = {std::min(ends->first, low), std::max(ends->second, high)};
  }
  for (Plot& plot : plots) plot.y.range = ends;
}

void addPlot(SurveyDrawing& drawing, Plot plot, std::vector<std::vector<SurveyPoint>> points) {
  points.resize(plot.curves.size());
  drawing.plots.push_back(std::move(plot));
  drawing.points.push_back(std::move(points));
}

SurveyDrawing surveyDrawing(const SurveyAnswer& answer, SurveyShow show) {
  SurveyDrawing drawing;
  drawing.about = aboutSurvey(answer, show);
  const SurveyPalette palette(answer);
  switch (show) {
    case SurveyShow::Distributions:
      addDistributions(drawing, answer, palette);
      break;
    case SurveyShow::Means:
      addMeans(drawing, answer, palette);
      break;
    case SurveyShow::Differences:
      addDifferences(drawing, answer, palette);
      break;
    case SurveyShow::Contrast:
      addContrasts(drawing, answer, palette);
      break;
    case SurveyShow::Steps:
      addSteps(drawing, answer);
      break;
    case SurveyShow::Histogram:
      addHistograms(drawing, answer, palette);
      break;
    case SurveyShow::Scatter:
      addScatter(drawing, answer, palette);
      break;
  }
  return drawing;
}

PanelFigure surveyFigure(const SurveyAnswer& answer, SurveyShow show) {
  const SurveyDrawing drawing = surveyDrawing(answer, show);
  FigureCaption caption;
  caption.name = measureLabel(answer.firstMeasure());
  if (answer.against >= 0) {
    caption.detail =
        (show == SurveyShow::Contrast ? QStringLiteral("less ") : QStringLiteral("against ")) +
        measureLabel(answer.secondMeasure());
  }
  caption.about = drawing.about;
  PanelFigure figure = plotFigure(caption, drawing.plots);
  const bool wide = std::any_of(drawing.plots.begin(), drawing.plots.end(),
                                [](const Plot& plot) { return plot.aspect > 2; });
  if (wide) figure.mostColumns = 1;
  return figure;
}

}  // namespace softscope
