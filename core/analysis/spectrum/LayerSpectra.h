#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/array/Table.h"
#include "core/attention/ShownMap.h"

#include <string>
#include <vector>

namespace softscope {

/// The spectra of a layer's heads, or why it has none.
struct LayerSpectra {
  AnalysedLayer of;
  std::vector<Spectrum> heads;
  std::string obstacle;
  /// Which of the layer's maps they are of, where they are of what multiplies V.
  ShownMap map = ShownMap::Attention;
};

/// Of every head of each layer; `map` says which of its maps SpectrumOf::Attention means. A layer
/// without such a matrix gets its obstacle instead; may throw Cancelled.
std::vector<LayerSpectra> computeSpectra(const std::vector<AnalysedLayer>& layers, SpectrumOf of,
                                         ShownMap map = ShownMap::Attention,
                                         const Progress& progress = {});

/// How the values were found: `exact from the factors, 49 x 49, float64`.
std::string spectrumMethods(const std::vector<LayerSpectra>& spectra);

/// `model,layer,head,index,singular_value,eigenvalue_abs`
Table spectrumTable(const std::vector<LayerSpectra>& spectra);

}  // namespace softscope
