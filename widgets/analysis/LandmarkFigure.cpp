#include "core/Quantile.h"
#include "core/attention/LandmarkChoice.h"
#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/figure/FigureCells.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Values, grouped by the number of landmarks.
using Samples = std::map<int, std::vector<double>>;

PlotCurve medianCurve(const QString& name, const QColor& color, const Samples& samples) {
  PlotCurve curve;
  curve.name = curve.group = name;
  curve.color = color;
  curve.points = true;
  for (const auto& [count, values] : samples) {
    curve.x.push_back(count);
    curve.y.push_back(medianOf(values));
  }
  return curve;
}

/// Returns the value that a curve shows for one head, or nothing if the head lacks it.
using ErrorMeasure = std::function<std::optional<double>(const LandmarkError&)>;

Samples samplesOf(const std::vector<LandmarkError>& errors, LandmarkSource landmarks,
                  const ErrorMeasure& measure) {
  Samples samples;
  for (const LandmarkError& error : errors) {
    if (error.approximation.landmarks.source != landmarks) continue;
    const std::optional<double> value = measure(error);
    if (value) samples[error.approximation.landmarkCount()].push_back(*value);
  }
  return samples;
}

ErrorMeasure errorWith(NystromForm::Middle middle) {
  return [middle](const LandmarkError& error) -> std::optional<double> {
    const ApproximationError* found = error.approximation.errorWith(middle);
    return found ? std::optional(found->relativeFrobenius) : std::nullopt;
  };
}

std::optional<double> boundOf(const LandmarkError& error) {
  return error.exact.rankBound(error.approximation.landmarkCount());
}

/// Adds the curves of one choice of landmarks.
void addCurves(Plot& plot, const std::vector<LandmarkError>& errors, LandmarkSource landmarks,
               const QColor& color) {
  const QString label = QString::fromStdString(nameOf(landmarks));
  const auto add = [&](const QString& name, PlotCurve::Line line, const ErrorMeasure& measure) {
    PlotCurve curve = medianCurve(name, color, samplesOf(errors, landmarks, measure));
    curve.line = line;
    plot.curves.push_back(std::move(curve));
  };
  add(label, PlotCurve::Line::Solid, errorWith(NystromForm::Middle::Released));
  add(QStringLiteral("%1, exact inverse").arg(label), PlotCurve::Line::Dotted,
      errorWith(NystromForm::Middle::Exact));
  add(QStringLiteral("%1, best of rank m").arg(label), PlotCurve::Line::Dashed, boundOf);
}

std::size_t headsOf(const std::vector<LandmarkError>& errors) {
  std::set<std::pair<std::string, int>> heads;
  for (const LandmarkError& error : errors) {
    heads.emplace(error.approximation.of.layer().name, error.approximation.head);
  }
  return heads.size();
}

/// Makes the plot of one model.
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
    addCurves(plot, errors, landmarkSources[i], colors[i]);
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

PanelFigure landmarkFigure(const std::vector<LandmarkError>& errors, bool rerun) {
  FigureCaption caption;
  caption.name = QStringLiteral("Nyström form and exact kernel");
  caption.about =
      QStringLiteral(
          "relative error of P V Pᵀ (K₁ Z K₃) with the released inverse, dotted with "
          "the exact one; dashed: the best matrix of rank m, for the same queries. ") +
      (rerun ? QStringLiteral("The network runs with the landmarks that are compared, which is "
                              "not what was trained, and changes the queries of later layers.")
             : QStringLiteral("The kernels are those of the network as it was trained; other "
                              "landmarks than trained stand in place of its own in one layer at "
                              "a time.")) +
      QStringLiteral(" Below 10⁻⁶ is float32's rounding.");
  return plotFigure(caption, landmarkPlots(errors));
}

}  // namespace softscope
