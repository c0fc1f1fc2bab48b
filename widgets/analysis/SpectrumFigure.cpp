#include "widgets/analysis/SpectrumFigure.h"

#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/PlotFigure.h"

#include <algorithm>

namespace softscope {
namespace {

QString subject(SpectrumOf of) {
  switch (of) {
    case SpectrumOf::Bottleneck:
      return QStringLiteral("bottleneck matrix A");
    case SpectrumOf::Inverse:
      return QStringLiteral("inverse of A that the iteration made");
    case SpectrumOf::Attention:
      break;
  }
  return QStringLiteral("attention");
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

std::vector<LayerSpectra> computeSpectra(const std::vector<AnalysedLayer>& layers, SpectrumOf of,
                                         const Progress& progress) {
  std::vector<LayerSpectra> spectra;
  for (const AnalysedLayer& layer : layers) spectra.push_back({layer, {}, {}});
  const auto obstacles = forEachLayer(layers, progress, [&](std::size_t i, const Progress& part) {
    const int heads = layers[i].attention().heads;
    for (int head = 0; head < heads; ++head) {
      part.report(double(head) / heads, {});
      spectra[i].heads.push_back(computeSpectrum(layers[i].layer(), head, of, {}, part));
    }
  });
  for (std::size_t i = 0; i < spectra.size(); ++i) {
    spectra[i].obstacle = obstacles[i];
    if (!obstacles[i].empty()) spectra[i].heads.clear();
  }
  return spectra;
}

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

std::string spectrumMethods(const std::vector<LayerSpectra>& spectra) {
  std::vector<std::string> methods;
  const auto note = [&](const std::string& method) {
    if (!method.empty() && std::find(methods.begin(), methods.end(), method) == methods.end()) {
      methods.push_back(method);
    }
  };
  for (const LayerSpectra& layer : spectra) {
    for (const Spectrum& head : layer.heads) {
      note(head.singularValues.method);
      if (head.eigenvalues) note(head.eigenvalues->method);
    }
  }
  std::string text;
  for (const std::string& method : methods) text += (text.empty() ? "" : "; ") + method;
  return text;
}

PanelFigure spectrumFigure(const std::vector<LayerSpectra>& spectra,
                           const SpectrumSettings& settings) {
  const QString about =
      QStringLiteral("spectrum of the %1 · %2")
          .arg(subject(settings.of), QString::fromStdString(spectrumMethods(spectra)));
  return plotFigure(captionOf(definedLayers(spectra), about), spectrumPlots(spectra, settings));
}

Table spectrumTable(const std::vector<LayerSpectra>& spectra) {
  Table table{{"model", "layer", "head", "index", "singular_value", "eigenvalue_abs"}, {}};
  for (const LayerSpectra& layer : spectra) {
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      const Spectrum& spectrum = layer.heads[head];
      static const std::vector<double> none;
      const auto& singular = spectrum.singularValues.values;
      const auto& eigen = spectrum.eigenvalues ? spectrum.eigenvalues->values : none;
      for (std::size_t i = 0; i < std::max(singular.size(), eigen.size()); ++i) {
        table.add({layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
                   static_cast<std::int64_t>(i),
                   i < singular.size() ? Table::Cell(singular[i]) : Table::Cell(),
                   i < eigen.size() ? Table::Cell(eigen[i]) : Table::Cell()});
      }
    }
  }
  return table;
}

}  // namespace softscope
