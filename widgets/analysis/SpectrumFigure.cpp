#include "core/analysis/spectrum/SpectrumAnalysis.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace softscope {
namespace {

QString subject(SpectrumMatrix of, const SpectrumAnalysis::Results& spectra) {
  switch (of) {
    case SpectrumMatrix::Bottleneck:
      return QStringLiteral("bottleneck matrix A");
    case SpectrumMatrix::Inverse:
      return QStringLiteral("inverse of A that the iteration made");
    case SpectrumMatrix::Attention:
      break;
  }
  return spectra.empty() ? mapText(ShownMap::Attention)
                         : mapText(spectra.front().of.layer(), spectra.front().map);
}

void addValues(PlotCurve& curve, const SpectrumValues& values) {
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    curve.x.push_back(static_cast<double>(i + 1));
    curve.y.push_back(values.values[i]);
  }
  curve.points = values.values.size() <= 64;
}

/// Marks a head's negative eigenvalues on its curve.
void markNegative(Plot& plot, const PlotCurve& looks, const Eigenvalues& eigenvalues) {
  PlotCurve marks = looks;
  const QString what =
      eigenvalues.symmetric ? QStringLiteral("negative") : QStringLiteral("negative real part");
  marks.name += QStringLiteral(", ") + what;
  marks.group = what;
  marks.label.clear();
  marks.line = PlotCurve::Line::None;
  marks.points = true;
  marks.marker = PlotCurve::Marker::Cross;
  for (std::size_t i = 0; i < eigenvalues.values.size(); ++i) {
    if (signOf(eigenvalues, i) >= 0) continue;
    marks.x.push_back(static_cast<double>(i + 1));
    marks.y.push_back(eigenvalues.values[i]);
  }
  if (!marks.x.empty()) plot.curves.push_back(std::move(marks));
}

/// Adds the level below which eigenvalues are zero to rounding, if it is about the same for all
/// heads and there are such eigenvalues.
void addRounding(Plot& plot, const std::vector<LayerSpectra>& spectra) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  int zero = 0;
  for (const LayerSpectra& layer : spectra) {
    for (const Spectrum& head : layer.heads) {
      if (!head.eigenvalues) continue;
      least = std::min(least, head.eigenvalues->rounding);
      most = std::max(most, head.eigenvalues->rounding);
      zero += countSigns(*head.eigenvalues).zero;
    }
  }
  constexpr double alike = 3;
  if (zero == 0 || most > alike * least) return;
  plot.levels.push_back({Qt::Horizontal, most, QStringLiteral("float32's rounding")});
}

/// Returns the note right of the title, e.g. `12 of 147 negative`.
QString signsNote(const SpectrumSigns& signs) {
  return QStringLiteral("%1 of %2 %3")
      .arg(signs.negative)
      .arg(signs.all)
      .arg(signs.symmetric ? QStringLiteral("negative")
                           : QStringLiteral("with negative real part"));
}

/// Returns `12 of 147 eigenvalues are negative, to −3.2·10⁻⁴; 30 are zero to float32's rounding`
/// and the like.
QString signsText(const SpectrumSigns& signs) {
  const bool one = signs.negative <= 1;
  const QString verb = signs.symmetric
                           ? (one ? QStringLiteral("is negative") : QStringLiteral("are negative"))
                           : (one ? QStringLiteral("has a negative real part")
                                  : QStringLiteral("have negative real parts"));
  QString text =
      QStringLiteral("%1 of %2 %3 %4")
          .arg(signs.negative > 0 ? QString::number(signs.negative) : QStringLiteral("none"))
          .arg(signs.all)
          .arg(signs.complete ? QStringLiteral("eigenvalues")
                              : QStringLiteral("largest eigenvalues"),
               verb);
  if (signs.negative > 0) text += QStringLiteral(", to ") + valueText(signs.mostNegative);
  if (signs.zero == 0) return text;
  return text + QStringLiteral("; %1 %2 zero to float32's rounding")
                    .arg(signs.zero)
                    .arg(signs.zero == 1 ? QStringLiteral("is") : QStringLiteral("are"));
}

/// Returns the largest of the heads' bounds, if every head has one.
std::optional<EigenvalueBound> commonBound(const std::vector<LayerSpectra>& spectra) {
  std::optional<EigenvalueBound> common;
  for (const LayerSpectra& layer : spectra) {
    for (const Spectrum& head : layer.heads) {
      if (!head.eigenvalueBound) return std::nullopt;
      if (!common || head.eigenvalueBound->value > common->value) common = head.eigenvalueBound;
    }
  }
  return common;
}

Plot emptySpectrumPlot(const QString& title, const QString& valueLabel, bool logarithmic) {
  Plot plot;
  plot.title = title;
  plot.x.label = QStringLiteral("rank");
  plot.x.counts = true;
  plot.y.label = valueLabel;
  plot.y.logarithmic = logarithmic;
  return plot;
}

/// Makes the ranks logarithmic if the curves' lengths differ so much that the short ones, those of
/// layers with few tokens, would lie on the plot's left edge.
void spreadRanks(Plot& plot) {
  constexpr std::size_t mostTimes = 8;
  const auto length = [](const PlotCurve& curve) { return curve.x.size(); };
  if (plot.curves.empty()) return;
  const auto [shortest, longest] = std::ranges::minmax_element(plot.curves, {}, length);
  plot.x.logarithmic = length(*longest) > mostTimes * length(*shortest);
}

}  // namespace

std::vector<Plot> SpectrumAnalysis::plots(const Results& spectra, const Settings& settings) {
  Plot singular = emptySpectrumPlot(QStringLiteral("Singular values"),
                                    QStringLiteral("singular value"), settings.logarithmic);
  Plot eigen = emptySpectrumPlot(QStringLiteral("Eigenvalues"), QStringLiteral("|eigenvalue|"),
                                 settings.logarithmic);
  const HeadCurves looks(definedLayers(spectra), settings.heads);
  const auto signs = spectrumSigns(spectra);
  if (signs) eigen.note = signsNote(*signs);
  std::vector<std::pair<PlotCurve, const Eigenvalues*>> marked;
  std::size_t index = 0;
  bool square = false;
  for (const LayerSpectra& layer : spectra) {
    if (!layer.obstacle.empty()) continue;
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      PlotCurve curve = looks.curve(index, static_cast<int>(head));
      PlotCurve magnitudes = curve;
      addValues(curve, layer.heads[head].singularValues);
      singular.curves.push_back(std::move(curve));
      if (!layer.heads[head].eigenvalues) continue;
      square = true;
      marked.push_back({magnitudes, &*layer.heads[head].eigenvalues});
      addValues(magnitudes, *layer.heads[head].eigenvalues);
      eigen.curves.push_back(std::move(magnitudes));
    }
    ++index;
  }
  for (Plot* plot : {&singular, &eigen}) spreadRanks(*plot);
  // The marks are drawn above all lines and come last in the legend.
  for (const auto& [curve, eigenvalues] : marked) markNegative(eigen, curve, *eigenvalues);
  for (Plot* plot : {&singular, &eigen}) looks.drawMedians(*plot);
  if (settings.logarithmic && looks.layers() == 1) addRounding(eigen, spectra);
  if (const auto bound = commonBound(spectra)) {
    eigen.levels.push_back(
        {Qt::Horizontal, bound->value, QStringLiteral("bound ") + valueText(bound->value, 6)});
  }
  if (square) return {singular, eigen};
  return {singular};
}

QString SpectrumAnalysis::caption(const Results& spectra, const Settings& settings) {
  QString text = QStringLiteral("spectrum of the %1 · %2")
                     .arg(subject(settings.of, spectra), typesetText(spectrumMethods(spectra)));
  if (const auto signs = spectrumSigns(spectra)) text += captionSeparator + signsText(*signs);
  const HeadCurves looks(definedLayers(spectra), settings.heads);
  if (looks.showsMedians()) text += captionSeparator + looks.medianText();
  return joinedCaption({typesetText(spectrumSentence(spectra)), text});
}

}  // namespace softscope
