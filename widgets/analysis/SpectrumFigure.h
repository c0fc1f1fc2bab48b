#pragma once

#include "core/analysis/spectrum/LayerSpectra.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"
#include "widgets/settings/AnalysisSettings.h"

#include <vector>

namespace softscope {

/// Singular values and |eigenvalues| against their rank, a curve per head; heads of one layer share
/// a colour where there are several layers. Negative eigenvalues, or those of a negative real part,
/// are crossed. Bounds stand where they hold for every curve.
std::vector<Plot> spectrumPlots(const std::vector<LayerSpectra>& spectra,
                                const SpectrumSettings& settings);

PanelFigure spectrumFigure(const std::vector<LayerSpectra>& spectra,
                           const SpectrumSettings& settings);

}  // namespace softscope
