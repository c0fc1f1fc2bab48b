#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/array/Table.h"
#include "core/attention/ShownMap.h"

#include <optional>
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

/// Whether every value that was looked for was found; spectrumMethods() says of those that were
/// not.
bool allConverged(const std::vector<LayerSpectra>& spectra);

/// Of the eigenvalues of all heads, and whether all their matrices are symmetric, so that the signs
/// are those of the eigenvalues themselves; nothing where no matrix is square. SOFT++
/// ("Softmax-free Linear Transformers", 2024, arXiv 2207.03341, Section 3.3) has eigenvalues that
/// are not negative.
struct SpectrumSigns : EigenvalueSigns {
  bool symmetric = true;
  /// Every eigenvalue was found, not the largest alone.
  bool complete = true;
};
std::optional<SpectrumSigns> spectrumSigns(const std::vector<LayerSpectra>& spectra);

/// `model,layer,head,index,singular_value,eigenvalue_abs,eigenvalue_real,eigenvalue_sign`, the last
/// being -1, 0 or 1: the sign of the real part, 0 where it is zero to float32's rounding.
Table spectrumTable(const std::vector<LayerSpectra>& spectra);

}  // namespace softscope
