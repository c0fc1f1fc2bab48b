#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace softscope {
namespace {

using Norm = double SpectralNorms::*;

/// The four norms, in the order of their colours.
struct NormKind {
  Norm norm;
  const char* name;
};
constexpr std::array<NormKind, 4> kinds = {
    {{&SpectralNorms::attention, "|S|, SOFT"},
     {&SpectralNorms::attentionNormalised, "|S|, SOFT++"},
     {&SpectralNorms::inverse, "|V|"},
     {&SpectralNorms::inverseNormalised, "|D⁻¹ᐟ² V D⁻¹ᐟ²|"}}};

bool isSweep(const std::vector<LayerNorms>& layers) {
  return std::any_of(layers.begin(), layers.end(),
                     [](const LayerNorms& layer) { return layer.sizes.size() > 1; });
}

Plot emptyNormsPlot(bool exact) {
  Plot plot;
  plot.title = exact ? QStringLiteral("Exact inverse") : QStringLiteral("Released inverse");
  plot.note = exact ? QStringLiteral("V = pinv(A), from float64")
                    : QStringLiteral("V as the code's iteration left it");
  plot.y.label = QStringLiteral("spectral norm");
  plot.y.logarithmic = true;
  return plot;
}

/// True if the exact norm is meaningful: with A in float32, anything below its floor is rounding.
bool isExact(const ReleasedAndExactNorms& norms) {
  constexpr double floorOfFloat32 = 1e6;
  return norms.isPrecise || norms.exact.condition < floorOfFloat32;
}

/// Plots the norms of one model's layers, head by head.
Plot headsPlot(const std::vector<LayerNorms>& layers, bool exact) {
  Plot plot = emptyNormsPlot(exact);
  plot.x.label = QStringLiteral("layer and head");
  const std::vector<QColor> colors = curveColors(static_cast<int>(kinds.size()));
  std::array<PlotCurve, kinds.size()> curves;
  for (const LayerNorms& layer : layers) {
    if (layer.sizes.empty()) continue;
    const QString name = shortLayerName(QString::fromStdString(layer.of.layer().name));
    const auto& heads = layer.sizes.front().heads;
    for (std::size_t head = 0; head < heads.size(); ++head) {
      const auto at = static_cast<double>(plot.x.names.size());
      plot.x.names.push_back(QStringLiteral("%1 · %2").arg(name).arg(head));
      const SpectralNorms& norms = exact ? heads[head].exact : heads[head].released;
      if (exact && !isExact(heads[head])) continue;
      for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        curves[kind].x.push_back(at);
        curves[kind].y.push_back(norms.*kinds[kind].norm);
        curves[kind].places.push_back(headPlace(layer.of, static_cast<int>(head)));
      }
    }
  }
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    PlotCurve& curve = curves[kind];
    curve.name = curve.group = curve.label = QString::fromUtf8(kinds[kind].name);
    curve.color = colors[kind];
    curve.line = PlotCurve::Line::None;
    curve.points = true;
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

std::vector<std::vector<LayerNorms>> splitByModel(const std::vector<LayerNorms>& layers) {
  std::vector<std::vector<LayerNorms>> models;
  for (const LayerNorms& layer : layers) {
    if (layer.sizes.empty()) continue;
    if (models.empty() || models.back().front().of.model != layer.of.model) models.emplace_back();
    models.back().push_back(layer);
  }
  return models;
}

/// Returns `3.59 ± 0.10`, or a dash without a fit.
QString exponentText(const std::optional<PowerLaw>& law) {
  if (!law) return QStringLiteral("–");
  const QString exponent = QString::number(law->exponent, 'f', 2).replace(u'-', QChar(0x2212));
  if (!law->exponentError) return exponent;
  return exponent + QStringLiteral(" ± ") + QString::number(*law->exponentError, 'f', 2);
}

/// Adds the line that the propositions predict, through the middle of the curves' first points.
void addPrediction(Plot& plot, int exponent, PlotCurve::Line line) {
  std::vector<double> starts;
  double least = 0;
  double most = 0;
  for (const PlotCurve& curve : plot.curves) {
    if (curve.line != line || curve.x.empty()) continue;
    if (std::isfinite(curve.y.front()) && curve.y.front() > 0) starts.push_back(curve.y.front());
    least = least == 0 ? curve.x.front() : std::min(least, curve.x.front());
    most = std::max(most, curve.x.back());
  }
  if (starts.empty() || most <= least) return;
  std::nth_element(starts.begin(), starts.begin() + std::ptrdiff_t(starts.size() / 2),
                   starts.end());
  const double start = starts[starts.size() / 2];
  PlotCurve guide;
  guide.name = exponent == 2 ? QStringLiteral("predicted: m²") : QStringLiteral("predicted: m");
  guide.group = guide.name;
  guide.label = exponent == 2 ? QStringLiteral("m²") : QStringLiteral("m");
  guide.color = exponent == 2 ? QColor(0x6f7681) : QColor(0xa4aab4);
  guide.line = PlotCurve::Line::Dotted;
  guide.x = {least, most};
  guide.y = {start, start * std::pow(most / least, exponent)};
  plot.curves.push_back(guide);
}

/// The norms that a sweep plots for a head: a solid curve and the dashed one of the normalised
/// form.
struct SweptNorms {
  double SpectralNorms::*plain;
  double SpectralNorms::*normalised;
  std::optional<PowerLaw> NormGrowth::*plainLaw;
  std::optional<PowerLaw> NormGrowth::*normalisedLaw;
  QString plainName;
  QString normalisedName;
  /// Also draws the bound |P|^2 |V|.
  bool isBounded = false;
};

SweptNorms sweptInverses() {
  return {&SpectralNorms::inverse,
          &SpectralNorms::inverseNormalised,
          &NormGrowth::inverse,
          &NormGrowth::inverseNormalised,
          QStringLiteral("|V|"),
          QStringLiteral("|D⁻¹ᐟ² V D⁻¹ᐟ²|"),
          false};
}

SweptNorms sweptAttention() {
  return {&SpectralNorms::attention,
          &SpectralNorms::attentionNormalised,
          &NormGrowth::attention,
          &NormGrowth::attentionNormalised,
          QStringLiteral("|S|, SOFT"),
          QStringLiteral("|S|, SOFT++"),
          true};
}

/// Adds a head's curves: plain, normalised and, if available, the bound of the plain one.
void addSweptHead(Plot& plot, const LayerNorms& layer, std::size_t head, bool exact,
                  const SweptNorms& swept, PlotCurve plain) {
  const QString name = plain.name;
  const NormGrowth growth = normGrowth(layer, head, exact);
  plain.points = true;
  PlotCurve normalised = plain;
  PlotCurve bound = plain;
  plain.name = QStringLiteral("%1, %2, m^%3")
                   .arg(name, swept.plainName, exponentText(growth.*swept.plainLaw));
  normalised.name = QStringLiteral("%1, %2, m^%3")
                        .arg(name, swept.normalisedName, exponentText(growth.*swept.normalisedLaw));
  bound.name = name + QStringLiteral(", bound |P|² |V|");
  plain.label += QStringLiteral(": ") + exponentText(growth.*swept.plainLaw);
  normalised.group.clear();
  normalised.label = exponentText(growth.*swept.normalisedLaw);
  bound.group.clear();
  bound.label.clear();
  normalised.line = PlotCurve::Line::Dashed;
  bound.line = PlotCurve::Line::Dotted;
  bound.points = false;
  for (const SizeNorms& size : layer.sizes) {
    const ReleasedAndExactNorms& both = size.heads[head];
    if (exact && !isExact(both)) continue;
    const SpectralNorms& norms = exact ? both.exact : both.released;
    for (PlotCurve* curve : {&plain, &normalised, &bound}) curve->x.push_back(size.landmarks);
    plain.y.push_back(norms.*swept.plain);
    normalised.y.push_back(norms.*swept.normalised);
    bound.y.push_back(norms.bound);
  }
  plot.curves.push_back(std::move(plain));
  plot.curves.push_back(std::move(normalised));
  if (swept.isBounded) plot.curves.push_back(std::move(bound));
}

/// Returns the growth of the inverses' norms, e.g. `block1.0, head 0: 3.59 ± 0.10, 1.20 ± 0.08
/// (released 0.21 ± 0.03, −0.20 ± 0.05)`.
QString growthText(const LayerNorms& layer, std::size_t head, const QString& name) {
  const NormGrowth exact = normGrowth(layer, head, true);
  const NormGrowth released = normGrowth(layer, head, false);
  return QStringLiteral("%1: %2, %3 (released %4, %5)")
      .arg(name, exponentText(exact.inverse), exponentText(exact.inverseNormalised),
           exponentText(released.inverse), exponentText(released.inverseNormalised));
}

Plot normsSweepPlot(const std::vector<LayerNorms>& layers, bool exact, const SweptNorms& swept) {
  Plot plot = emptyNormsPlot(exact);
  plot.title += QStringLiteral(": ") + swept.plainName;
  plot.x.label = QStringLiteral("landmarks m");
  plot.x.logarithmic = true;
  int count = 0;
  for (const LayerNorms& layer : layers) {
    if (!layer.sizes.empty()) count += static_cast<int>(layer.sizes.front().heads.size());
  }
  const std::vector<QColor> colors = curveColors(count);
  const bool several = severalModels(definedLayers(layers));
  std::size_t next = 0;
  for (const LayerNorms& layer : layers) {
    if (layer.sizes.empty()) continue;
    for (std::size_t head = 0; head < layer.sizes.front().heads.size(); ++head) {
      PlotCurve looks;
      looks.color = colors[next++];
      looks.name = curveName(layer.of, static_cast<int>(head), several);
      looks.group = growthText(layer, head, looks.name);
      looks.label = curveLabel(layer.of, static_cast<int>(head));
      looks.places = {headPlace(layer.of, static_cast<int>(head))};
      addSweptHead(plot, layer, head, exact, swept, std::move(looks));
    }
  }
  if (swept.isBounded) return plot;
  addPrediction(plot, 2, PlotCurve::Line::Solid);
  addPrediction(plot, 1, PlotCurve::Line::Dashed);
  return plot;
}

}  // namespace

std::vector<Plot> normsPlots(const std::vector<LayerNorms>& layers) {
  if (isSweep(layers)) {
    return {normsSweepPlot(layers, false, sweptInverses()),
            normsSweepPlot(layers, true, sweptInverses()),
            normsSweepPlot(layers, false, sweptAttention()),
            normsSweepPlot(layers, true, sweptAttention())};
  }
  std::vector<Plot> plots;
  const bool several = severalModels(definedLayers(layers));
  for (const std::vector<LayerNorms>& model : splitByModel(layers)) {
    for (const bool exact : {false, true}) {
      plots.push_back(headsPlot(model, exact));
      if (!several) continue;
      plots.back().title.prepend(QString::fromStdString(model.front().of.model) +
                                 QStringLiteral(": "));
      plots.back().note.clear();
    }
  }
  return plots;
}

FigureCaption normsCaption(const std::vector<LayerNorms>& layers, const NormsSettings& settings) {
  QString about = QStringLiteral("spectral norms with and without D⁻¹ᐟ² on the same weights");
  if (isSweep(layers)) {
    about = QStringLiteral(
        "norms against m, and so against n; solid: V and SOFT's S, dashed: D⁻¹ᐟ² V D⁻¹ᐟ² and "
        "SOFT++'s S, dotted: the bound |P|² |V|; the curves' numbers are their fitted exponents, "
        "in a legend those of both inverses, with their standard errors");
  }
  about += QStringLiteral(" · pinv drops eigenvalues under %1 of the largest")
               .arg(settings.rcond, 0, 'g', 3);
  const std::string sentence = normsTable(layers, settings).sentence;
  if (!sentence.empty()) about.prepend(QString::fromStdString(sentence) + captionSeparator);
  return captionOf(definedLayers(layers), about);
}

PanelFigure normsFigure(const std::vector<LayerNorms>& layers, const NormsSettings& settings) {
  return plotFigure(normsCaption(layers, settings), normsPlots(layers));
}

}  // namespace softscope
