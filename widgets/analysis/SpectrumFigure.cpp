#include "widgets/analysis/SpectrumFigure.h"

#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/PlotFigure.h"
#include "widgets/paint/PanelText.h"

namespace softscope {
namespace {

QString subject(SpectrumOf of, ShownMap map) {
  switch (of) {
    case SpectrumOf::Bottleneck:
      return QStringLiteral("bottleneck matrix A");
    case SpectrumOf::Inverse:
      return QStringLiteral("inverse of A that the iteration made");
    case SpectrumOf::Attention:
      break;
  }
  return mapText(map);
}

void addValues(PlotCurve& curve, const SpectrumValues& values) {
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    curve.x.push_back(static_cast<double>(i + 1));
    curve.y.push_back(values.values[i]);
  }
  curve.points = values.values.size() <= 64;
}

/// The bound that holds for every head, if one does; the largest of them.
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
  plot.y.label = valueLabel;
  plot.y.logarithmic = logarithmic;
  return plot;
}

}  // namespace

std::vector<Plot> spectrumPlots(const std::vector<LayerSpectra>& spectra,
                                const SpectrumSettings& settings) {
  Plot singular = emptySpectrumPlot(QStringLiteral("Singular values"),
                                    QStringLiteral("singular value"), settings.logarithmic);
  Plot eigen = emptySpectrumPlot(QStringLiteral("Eigenvalues"), QStringLiteral("|eigenvalue|"),
                                 settings.logarithmic);
  const HeadCurves looks(definedLayers(spectra));
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
      addValues(magnitudes, *layer.heads[head].eigenvalues);
      eigen.curves.push_back(std::move(magnitudes));
    }
    ++index;
  }
  if (const auto bound = commonBound(spectra)) {
    eigen.levels.push_back(
        {Qt::Horizontal, bound->value, QStringLiteral("bound %1").arg(bound->value, 0, 'g', 6)});
  }
  if (square) return {singular, eigen};
  return {singular};
}

PanelFigure spectrumFigure(const std::vector<LayerSpectra>& spectra,
                           const SpectrumSettings& settings) {
  const QString about =
      QStringLiteral("spectrum of the %1 · %2")
          .arg(subject(settings.of, spectra.empty() ? ShownMap::Attention : spectra.front().map),
               QString::fromStdString(spectrumMethods(spectra)));
  return plotFigure(captionOf(definedLayers(spectra), about), spectrumPlots(spectra, settings));
}

}  // namespace softscope
