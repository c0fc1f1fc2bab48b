#pragma once

#include "core/Progress.h"
#include "core/analysis/spectrum/EigenvalueBound.h"
#include "core/analysis/spectrum/SpectrumOptions.h"
#include "core/inspect/Inspection.h"
#include "core/linalg/Eigenvalues.h"

#include <optional>

namespace softscope {

/// The matrix of a layer whose spectrum is computed.
enum class SpectrumMatrix {
  Attention,   ///< the matrix that multiplies V
  Bottleneck,  ///< the landmarks' kernel A
  Inverse,     ///< the iteration's result, for SOFT++ before D^(-1/2) is applied
};

struct Spectrum {
  SpectrumValues singularValues;
  /// The eigenvalues of the matrix; empty if it is not square.
  std::optional<Eigenvalues> eigenvalues;
  std::optional<EigenvalueBound> eigenvalueBound;
};

/// Returns the spectrum of one head. Throws InspectionError if the layer has no bottleneck matrix
/// or the matrix is not finite, Cancelled if asked to stop; a dense decomposition that has begun
/// (at most some seconds) finishes first.
Spectrum computeSpectrum(const LayerInspection& layer, int head, SpectrumMatrix of,
                         const SpectrumOptions& options = {}, const Progress& progress = {});

/// Returns the spectrum of an attention map alone.
Spectrum attentionSpectrum(const AttentionMap& map, int head, const SpectrumOptions& options = {},
                           const Progress& progress = {});

}  // namespace softscope
