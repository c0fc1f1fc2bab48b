#include "widgets/analysis/LandmarkFigure.h"

#include "core/attention/LandmarkChoice.h"
#include "widgets/figure/PlotFigure.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Values by number of landmarks.
using Samples = std::map<int, std::vector<double>>;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

PlotCurve medianCurve(const QString& name, const QColor& color, const Samples& samples) {
  PlotCurve curve;
  curve.name = curve.group = name;
  curve.color = color;
  curve.points = true;
  for (const auto& [count, values] : samples) {
    curve.x.push_back(count);
    curve.y.push_back(median(values));
  }
  return curve;
}

Samples errorsOf(const std::vector<LandmarkError>& errors, const std::string& landmarks) {
  Samples samples;
  for (const LandmarkError& error : errors) {
    if (error.landmarks != landmarks) continue;
    samples[error.approximation.of.attention().landmarks.value_or(0)].push_back(
        error.approximation.errors.front().relativeFrobenius);
  }
  return samples;
}

/// Of the kernel with the landmarks of that name.
Samples boundsOf(const std::vector<LandmarkError>& errors, const std::string& landmarks) {
  Samples samples;
  for (const LandmarkError& error : errors) {
    if (error.landmarks != landmarks || !error.rankBound) continue;
    samples[error.approximation.of.attention().landmarks.value_or(0)].push_back(*error.rankBound);
  }
  return samples;
}

std::size_t headsOf(const std::vector<LandmarkError>& errors) {
  std::set<std::pair<std::string, int>> heads;
  for (const LandmarkError& error : errors) {
    heads.emplace(error.approximation.of.layer().name, error.approximation.head);
  }
  return heads.size();
}

/// Of one model.
Plot landmarkPlot(const std::vector<LandmarkError>& errors) {
  Plot plot;
  plot.title = QString::fromStdString(errors.front().approximation.of.model);
  const std::size_t heads = headsOf(errors);
  plot.note =
      heads == 1 ? QStringLiteral("one head") : QStringLiteral("median over %1 heads").arg(heads);
  plot.x.label = QStringLiteral("landmarks m");
  plot.x.logarithmic = true;
  plot.y.label = QStringLiteral("relative Frobenius error");
  plot.y.logarithmic = true;
  const std::vector<QColor> colors = curveColors(static_cast<int>(landmarkSources.size()));
  for (std::size_t i = 0; i < landmarkSources.size(); ++i) {
    const std::string name = nameOf(landmarkSources[i]);
    const QString label = QString::fromStdString(name);
    plot.curves.push_back(medianCurve(label, colors[i], errorsOf(errors, name)));
    PlotCurve bound = medianCurve(QStringLiteral("%1, best of rank m").arg(label), colors[i],
                                  boundsOf(errors, name));
    bound.line = PlotCurve::Line::Dashed;
    plot.curves.push_back(std::move(bound));
  }
  std::erase_if(plot.curves, [](const PlotCurve& curve) { return curve.x.empty(); });
  return plot;
}

std::vector<LandmarkError> defined(const std::vector<LandmarkError>& errors) {
  std::vector<LandmarkError> some;
  std::copy_if(errors.begin(), errors.end(), std::back_inserter(some),
               [](const auto& error) { return error.approximation.obstacle.empty(); });
  return some;
}

}  // namespace

std::vector<Plot> landmarkPlots(const std::vector<LandmarkError>& errors) {
  std::vector<std::pair<std::string, std::vector<LandmarkError>>> models;
  for (const LandmarkError& error : defined(errors)) {
    const std::string& name = error.approximation.of.model;
    auto model = std::find_if(models.begin(), models.end(),
                              [&](const auto& entry) { return entry.first == name; });
    if (model == models.end()) model = models.insert(models.end(), {name, {}});
    model->second.push_back(error);
  }
  std::vector<Plot> plots;
  for (const auto& model : models) plots.push_back(landmarkPlot(model.second));
  return plots;
}

PanelFigure landmarkFigure(const std::vector<LandmarkError>& errors) {
  FigureCaption caption;
  caption.name = QStringLiteral("Nyström form and exact kernel");
  caption.about = QStringLiteral(
      "relative error of P V Pᵀ (K₁ Z K₃) with the released inverse; dashed: the best matrix of "
      "rank m, for the same queries. Other landmarks than trained are not what was trained, and "
      "change the queries of later layers. Below 10⁻⁶ is float32's rounding.");
  return plotFigure(caption, landmarkPlots(errors));
}

}  // namespace softscope
