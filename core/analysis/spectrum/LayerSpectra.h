#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/array/Table.h"

#include <string>
#include <vector>

namespace softscope {

/// The spectra of a layer's heads, or why it has none.
struct LayerSpectra {
  AnalysedLayer of;
  std::vector<Spectrum> heads;
  std::string obstacle;
};

/// Of every head of each layer. A layer without such a matrix gets its obstacle instead; may throw
/// Cancelled.
std::vector<LayerSpectra> computeSpectra(const std::vector<AnalysedLayer>& layers, SpectrumOf of,
                                         const Progress& progress = {});

/// How the values were found: `exact from the factors, 49 x 49, float64`.
std::string spectrumMethods(const std::vector<LayerSpectra>& spectra);

/// `model,layer,head,index,singular_value,eigenvalue_abs`
Table spectrumTable(const std::vector<LayerSpectra>& spectra);

}  // namespace softscope
