#include "core/analysis/spectrum/SpectrumAnalysis.h"

#include "core/array/ComparedSentence.h"
#include "core/inspect/LayerMap.h"
#include "core/text/Words.h"

#include <algorithm>

namespace softscope {

std::vector<LayerSpectra> computeSpectra(const std::vector<AnalysedLayer>& layers,
                                         SpectrumMatrix of, ShownMap map,
                                         const Progress& progress) {
  std::vector<LayerSpectra> spectra;
  for (const AnalysedLayer& layer : layers) spectra.push_back({layer, {}, {}, map});
  const auto obstacles = forEachLayer(layers, progress, [&](std::size_t i, const Progress& part) {
    const int heads = layers[i].attention().heads;
    const LayerInspection& layer = layers[i].layer();
    const auto shown = mapOf(layer, of == SpectrumMatrix::Attention ? map : ShownMap::Attention);
    for (int head = 0; head < heads; ++head) {
      part.report(double(head) / heads, {});
      spectra[i].heads.push_back(of == SpectrumMatrix::Attention
                                     ? attentionSpectrum(*shown, head, {}, part)
                                     : computeSpectrum(layer, head, of, {}, part));
    }
  });
  for (std::size_t i = 0; i < spectra.size(); ++i) {
    spectra[i].obstacle = obstacles[i];
    if (!obstacles[i].empty()) spectra[i].heads.clear();
  }
  return spectra;
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
  return listText(methods, "; ");
}

bool allConverged(const std::vector<LayerSpectra>& spectra) {
  return std::all_of(spectra.begin(), spectra.end(), [](const LayerSpectra& layer) {
    return std::all_of(layer.heads.begin(), layer.heads.end(), [](const Spectrum& head) {
      return head.singularValues.converged() &&
             (!head.eigenvalues || head.eigenvalues->converged());
    });
  });
}

std::optional<SpectrumSigns> spectrumSigns(const std::vector<LayerSpectra>& spectra) {
  std::optional<SpectrumSigns> signs;
  for (const LayerSpectra& layer : spectra) {
    for (const Spectrum& head : layer.heads) {
      if (!head.eigenvalues) continue;
      if (!signs) signs.emplace();
      signs->add(countSigns(*head.eigenvalues));
      signs->symmetric &= head.eigenvalues->symmetric;
      signs->complete &= head.eigenvalues->all && head.eigenvalues->converged();
    }
  }
  return signs;
}

std::string spectrumSentence(const std::vector<LayerSpectra>& spectra) {
  Table largest{{"model", "layer", "head", "value"}, {}};
  for (const LayerSpectra& layer : spectra) {
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      const std::vector<double>& values = layer.heads[head].singularValues.values;
      if (values.empty()) continue;
      largest.add(
          {layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head), values.front()});
    }
  }
  return comparedSentence(largest, {.quantity = "the largest singular value", .column = "value"});
}

Table spectrumTable(const std::vector<LayerSpectra>& spectra) {
  Table table{{"model", "layer", "head", "index", "singular_value", "eigenvalue_abs",
               "eigenvalue_real", "eigenvalue_sign"},
              {}};
  for (const LayerSpectra& layer : spectra) {
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      const Spectrum& spectrum = layer.heads[head];
      static const std::vector<double> none;
      const auto& singular = spectrum.singularValues.values;
      const auto& eigen = spectrum.eigenvalues ? spectrum.eigenvalues->values : none;
      for (std::size_t i = 0; i < std::max(singular.size(), eigen.size()); ++i) {
        table.add(
            {layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
             static_cast<std::int64_t>(i),
             i < singular.size() ? Table::Cell(singular[i]) : Table::Cell(),
             i < eigen.size() ? Table::Cell(eigen[i]) : Table::Cell(),
             i < eigen.size() ? Table::Cell(spectrum.eigenvalues->realParts[i]) : Table::Cell(),
             i < eigen.size() ? Table::Cell(std::int64_t{signOf(*spectrum.eigenvalues, i)})
                              : Table::Cell()});
      }
    }
  }
  table.sentence = spectrumSentence(spectra);
  return table;
}

}  // namespace softscope
