#include "core/text/Words.h"
#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace softscope {
namespace {

using Norm = double SpectralNorms::*;

/// The four norms, in the order of their colours.
struct NormKind {
  Norm norm;
  const char* name;
  /// The name where no norm is normalised; null for the normalised norms.
  const char* aloneName;
};
constexpr std::array<NormKind, 4> kinds = {
    {{&SpectralNorms::attention, "|S|, SOFT", "|S|"},
     {&SpectralNorms::attentionNormalised, "|S|, SOFT++", nullptr},
     {&SpectralNorms::inverse, "|V|", "|V|"},
     {&SpectralNorms::inverseNormalised, "|D⁻¹ᐟ² V D⁻¹ᐟ²|", nullptr}}};

/// Returns the layers that have norms.
std::vector<LayerNorms> sweptLayers(const std::vector<LayerNorms>& layers) {
  std::vector<LayerNorms> swept;
  std::ranges::copy_if(layers, std::back_inserter(swept),
                       [](const LayerNorms& layer) { return !layer.sizes.empty(); });
  return swept;
}

bool anyNormalised(const std::vector<LayerNorms>& layers) {
  return std::any_of(layers.begin(), layers.end(), hasNormalisedNorms);
}

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
  const bool isNormalised = anyNormalised(layers);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const char* name = isNormalised ? kinds[kind].name : kinds[kind].aloneName;
    if (name == nullptr) continue;
    PlotCurve& curve = curves[kind];
    curve.name = curve.group = curve.label = QString::fromUtf8(name);
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

/// Adds the line that the propositions predict for curves of SOFT's layers, through the middle of
/// their first points.
void addPrediction(Plot& plot, const std::vector<PlotCurve>& ofSoft, int exponent,
                   PlotCurve::Line line) {
  std::vector<double> starts;
  double least = 0;
  double most = 0;
  for (const PlotCurve& curve : ofSoft) {
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
  /// The plain norm's name in a layer without normalised norms.
  QString aloneName;
  /// Also draws the bound |P|^2 |V|.
  bool isBounded = false;
};

SweptNorms sweptInverses() {
  return {&SpectralNorms::inverse, &SpectralNorms::inverseNormalised,
          &NormGrowth::inverse,    &NormGrowth::inverseNormalised,
          QStringLiteral("|V|"),   QStringLiteral("|D⁻¹ᐟ² V D⁻¹ᐟ²|"),
          QStringLiteral("|V|"),   false};
}

SweptNorms sweptAttention() {
  return {&SpectralNorms::attention,   &SpectralNorms::attentionNormalised,
          &NormGrowth::attention,      &NormGrowth::attentionNormalised,
          QStringLiteral("|S|, SOFT"), QStringLiteral("|S|, SOFT++"),
          QStringLiteral("|S|"),       true};
}

QString boundName(bool isNormalised) {
  return isNormalised ? QStringLiteral("|P|² |V|") : QStringLiteral("|P| |R| |V|");
}

/// Gives the curve of a head's normalised norms its looks.
void nameNormalised(PlotCurve& normalised, const QString& name, const SweptNorms& swept,
                    const NormGrowth& growth) {
  const QString exponent = exponentText(growth.*swept.normalisedLaw);
  normalised.name = QStringLiteral("%1, %2, m^%3").arg(name, swept.normalisedName, exponent);
  normalised.group.clear();
  normalised.label = exponent;
  normalised.line = PlotCurve::Line::Dashed;
}

/// Returns a head's curves: plain, normalised and the bound of the plain one, as far as there are
/// such norms.
std::vector<PlotCurve> sweptHead(const LayerNorms& layer, std::size_t head, bool exact,
                                 const SweptNorms& swept, PlotCurve plain) {
  const bool isNormalised = hasNormalisedNorms(layer);
  const QString name = plain.name;
  const NormGrowth growth = normGrowth(layer, head, exact);
  plain.points = true;
  PlotCurve normalised = plain;
  PlotCurve bound = plain;
  const QString exponent = exponentText(growth.*swept.plainLaw);
  plain.name = QStringLiteral("%1, %2, m^%3")
                   .arg(name, isNormalised ? swept.plainName : swept.aloneName, exponent);
  plain.label += QStringLiteral(": ") + exponent;
  nameNormalised(normalised, name, swept, growth);
  bound.name = name + QStringLiteral(", bound ") + boundName(isNormalised);
  bound.group.clear();
  bound.label.clear();
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
  std::vector<PlotCurve> curves{std::move(plain)};
  if (isNormalised) curves.push_back(std::move(normalised));
  if (swept.isBounded) curves.push_back(std::move(bound));
  return curves;
}

/// Returns the growth of the inverses' norms, e.g. `block1.0, head 0: 3.59 ± 0.10, 1.20 ± 0.08
/// (released 0.21 ± 0.03, −0.20 ± 0.05)`, or `3.59 ± 0.10 (released 0.21 ± 0.03)` where no norm is
/// normalised.
QString growthText(const LayerNorms& layer, std::size_t head, const QString& name) {
  const auto text = [&](const NormGrowth& growth) {
    const QString plain = exponentText(growth.inverse);
    return hasNormalisedNorms(layer)
               ? plain + QStringLiteral(", ") + exponentText(growth.inverseNormalised)
               : plain;
  };
  return QStringLiteral("%1: %2 (released %3)")
      .arg(name, text(normGrowth(layer, head, true)), text(normGrowth(layer, head, false)));
}

Plot normsSweepPlot(const std::vector<LayerNorms>& layers, bool exact, const SweptNorms& swept) {
  const std::vector<LayerNorms> swepts = sweptLayers(layers);
  Plot plot = emptyNormsPlot(exact);
  plot.title +=
      QStringLiteral(": ") +
      (std::ranges::all_of(swepts, hasNormalisedNorms) ? swept.plainName : swept.aloneName);
  plot.x.label = QStringLiteral("landmarks m");
  plot.x.logarithmic = true;
  int count = 0;
  for (const LayerNorms& layer : swepts) {
    count += static_cast<int>(layer.sizes.front().heads.size());
  }
  const std::vector<QColor> colors = curveColors(count);
  const bool several = severalModels(definedLayers(layers));
  std::size_t next = 0;
  std::vector<PlotCurve> ofSoft;
  for (const LayerNorms& layer : swepts) {
    for (std::size_t head = 0; head < layer.sizes.front().heads.size(); ++head) {
      PlotCurve looks;
      looks.color = colors[next++];
      looks.name = curveName(layer.of, static_cast<int>(head), several);
      looks.group = growthText(layer, head, looks.name);
      looks.label = curveLabel(layer.of, static_cast<int>(head));
      looks.places = {headPlace(layer.of, static_cast<int>(head))};
      for (PlotCurve& curve : sweptHead(layer, head, exact, swept, std::move(looks))) {
        if (hasNormalisedNorms(layer)) ofSoft.push_back(curve);
        plot.curves.push_back(std::move(curve));
      }
    }
  }
  if (swept.isBounded) return plot;
  addPrediction(plot, ofSoft, 2, PlotCurve::Line::Solid);
  addPrediction(plot, ofSoft, 1, PlotCurve::Line::Dashed);
  return plot;
}

/// Says what the lines of a sweep are.
QString sweepText(const std::vector<LayerNorms>& layers) {
  const bool allAreOfSoft = std::ranges::all_of(layers, hasNormalisedNorms);
  QString text = allAreOfSoft
                     ? QStringLiteral("norms against m, and so against n; solid: V and SOFT's S")
                     : QStringLiteral("norms against m, and so against n; solid: V and S");
  if (anyNormalised(layers)) {
    text += QStringLiteral(", dashed: D⁻¹ᐟ² V D⁻¹ᐟ² and SOFT++'s S");
  }
  return text + QStringLiteral(", dotted: the bound ") + boundName(allAreOfSoft) +
         QStringLiteral(
             "; the curves' numbers are their fitted exponents, in a legend those of both "
             "inverses, with their standard errors");
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
  QString about = isSweep(layers) ? sweepText(sweptLayers(layers))
                  : anyNormalised(layers)
                      ? QStringLiteral("spectral norms with and without D⁻¹ᐟ² on the same weights")
                      : QStringLiteral("spectral norms of the attention S and of the inverse V");
  about += QStringLiteral(" · pinv drops eigenvalues under %1 of the largest")
               .arg(typesetText(roundedText(settings.rcond)));
  const QString sentence = typesetText(normsTable(layers, settings).sentence);
  return captionOf(definedLayers(layers), joinedCaption({sentence, about, leftOutText(layers)}));
}

PanelFigure normsFigure(const std::vector<LayerNorms>& layers, const NormsSettings& settings) {
  return plotFigure(normsCaption(layers, settings), normsPlots(layers));
}

}  // namespace softscope
