#include "core/analysis/bottleneck/ConvergenceAnalysis.h"
#include "core/text/Words.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/paint/ValueText.h"

#include <set>

namespace softscope {
namespace {

/// True if the scheme inverts a matrix other than A: SOFT's code inverts A + 0.01 I, so the
/// residual against A itself differs.
bool invertsAnother(const LayerConvergence& layer) {
  return layer.scheme == InverseScheme::Soft;
}

Plot emptyConvergencePlot(const QString& title, const QString& valueLabel) {
  Plot plot;
  plot.title = title;
  plot.x.label = QStringLiteral("step k");
  plot.x.counts = true;
  plot.y.label = valueLabel;
  plot.y.logarithmic = true;
  return plot;
}

void setValues(PlotCurve& curve, const std::vector<double>& values) {
  curve.x.clear();
  for (std::size_t k = 0; k < values.size(); ++k) curve.x.push_back(static_cast<double>(k));
  curve.y = values;
}

void addResidual(Plot& plot, const PlotCurve& looks, const LayerConvergence& layer,
                 const ConvergenceCurves& head) {
  PlotCurve curve = looks;
  setValues(curve, head.residual);
  plot.curves.push_back(curve);
  if (invertsAnother(layer)) {
    PlotCurve raw = looks;
    raw.name += QStringLiteral(", against the raw A");
    raw.line = PlotCurve::Line::Dashed;
    raw.group.clear();
    raw.label.clear();
    setValues(raw, head.residualRaw);
    plot.curves.push_back(raw);
  }
  const auto reached = firstWithin(head.residual, convergedResidual);
  if (!reached) return;
  PlotCurve mark = looks;
  mark.name += QStringLiteral(", at most 10⁻³ for the first time");
  mark.group.clear();
  mark.label.clear();
  mark.line = PlotCurve::Line::None;
  mark.points = true;
  mark.x = {static_cast<double>(*reached)};
  mark.y = {head.residual[static_cast<std::size_t>(*reached)]};
  plot.curves.push_back(mark);
}

void addResidualCurve(Plot& plot, PlotCurve curve, const std::vector<double>& values) {
  setValues(curve, values);
  plot.curves.push_back(std::move(curve));
}

std::string namedSchemes(const std::vector<LayerConvergence>& layers) {
  std::set<std::string> names;
  for (const LayerConvergence& layer : layers) {
    if (layer.obstacle.empty()) names.insert(schemeName(layer.scheme));
  }
  return listText(names, " and ");
}

/// The matrices that the schemes of several layers invert.
struct InvertedMatrices {
  bool plain = false;   ///< A
  bool damped = false;  ///< A + 0.01 I
};

InvertedMatrices invertedMatrices(const std::vector<LayerConvergence>& layers) {
  InvertedMatrices inverted;
  for (const LayerConvergence& layer : layers) {
    if (layer.obstacle.empty()) (invertsAnother(layer) ? inverted.damped : inverted.plain) = true;
  }
  return inverted;
}

/// Returns what B stands for in the titles of the plots.
std::string matrixText(const std::vector<LayerConvergence>& layers) {
  const auto [plain, damped] = invertedMatrices(layers);
  if (damped && plain) return "B is A + 0.01 I for SOFT's code, A otherwise";
  return damped ? "B is A + 0.01 I, as SOFT's code has it; dashed: against A itself"
                : "B is the bottleneck matrix A";
}

/// Returns in how many heads a quantity behaves as Proposition 2 says, for the note right of the
/// title, in which there is little room for many heads; the caption says that each step is meant.
QString fallingText(int falling, int heads) {
  if (falling == 0) {
    return heads == 1 ? QStringLiteral("does not fall with every step")
                      : QStringLiteral("falls in 0 of %1 heads").arg(heads);
  }
  if (falling < heads) {
    return QStringLiteral("falls in %1 of %2 heads").arg(falling).arg(heads);
  }
  return heads == 1 ? QStringLiteral("falls with every step")
                    : QStringLiteral("falls in all %1 heads").arg(heads);
}

/// Returns what B stands for, for the axis: SOFT's Fig. 4 is about A, its code about A + 0.01 I.
QString matrixAxisText(const std::vector<LayerConvergence>& layers) {
  const auto [plain, damped] = invertedMatrices(layers);
  if (damped && plain) return QStringLiteral("\nB = A or A + 0.01 I");
  return damped ? QStringLiteral("\nB = A + 0.01 I") : QStringLiteral("\nB = A");
}

}  // namespace

std::vector<Plot> ConvergenceAnalysis::plots(const Results& layers, const Settings& settings) {
  const QString of = matrixAxisText(layers);
  Plot residual =
      emptyConvergencePlot(QStringLiteral("Residual"), QStringLiteral("|BVB − B| / |B|") + of);
  Plot distance = emptyConvergencePlot(QStringLiteral("Distance to B⁺"),
                                       QStringLiteral("|V − B⁺| / |B⁺|") + of);
  Plot reflexive = emptyConvergencePlot(QStringLiteral("Reflexive residual"),
                                        QStringLiteral("|VBV − V| / |V|") + of);
  const FallingHeads falling = fallingHeads(layers);
  residual.note = fallingText(falling.residual, falling.heads);
  distance.note = fallingText(falling.inverseDistance, falling.heads);
  residual.levels.push_back({Qt::Horizontal, convergedResidual, QStringLiteral("10⁻³")});
  const HeadCurves looks(definedLayers(layers), settings.heads);
  std::size_t index = 0;
  for (const LayerConvergence& layer : layers) {
    if (!layer.obstacle.empty()) continue;
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      const PlotCurve curve = looks.curve(index, static_cast<int>(head));
      addResidual(residual, curve, layer, layer.heads[head]);
      addResidualCurve(distance, curve, layer.heads[head].inverseDistance);
      addResidualCurve(reflexive, curve, layer.heads[head].reflexiveResidual);
    }
    ++index;
  }
  for (Plot* plot : {&residual, &distance, &reflexive}) looks.drawMedians(*plot);
  return {residual, distance, reflexive};
}

QString ConvergenceAnalysis::caption(const Results& layers, const Settings& settings) {
  const QString text =
      QString::fromStdString(convergenceSummary(layers) + " · scheme " + namedSchemes(layers) +
                             ", iterates in " + (settings.singlePrecision ? "float32" : "float64") +
                             " · " + matrixText(layers) + " · spectral norms");
  const HeadCurves looks(definedLayers(layers), settings.heads);
  return looks.showsMedians() ? text + captionSeparator + looks.medianText() : text;
}

}  // namespace softscope
