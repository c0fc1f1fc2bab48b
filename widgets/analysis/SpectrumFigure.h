#pragma once

#include "core/Progress.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/array/Table.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"
#include "widgets/settings/AnalysisSettings.h"

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

/// Singular values and |eigenvalues| against their rank, a curve per head; heads of one layer share
/// a colour where there are several layers. Bounds stand where they hold for every curve.
std::vector<Plot> spectrumPlots(const std::vector<LayerSpectra>& spectra,
                                const SpectrumSettings& settings);

/// How the values were found: `exact from the factors, 49 x 49, float64`.
std::string spectrumMethods(const std::vector<LayerSpectra>& spectra);

PanelFigure spectrumFigure(const std::vector<LayerSpectra>& spectra,
                           const SpectrumSettings& settings);

/// `model,layer,head,index,singular_value,eigenvalue_abs`
Table spectrumTable(const std::vector<LayerSpectra>& spectra);

}  // namespace softscope
