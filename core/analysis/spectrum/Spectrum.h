#pragma once

#include "core/Progress.h"
#include "core/analysis/spectrum/EigenvalueBound.h"
#include "core/attention/AttentionMap.h"
#include "core/inspect/Inspection.h"
#include "core/linalg/Eigenvalues.h"

#include <cstddef>
#include <optional>

namespace softscope {

/// Limits on the effort spent on a spectrum.
struct SpectrumOptions {
  /// A map that is not factored is decomposed densely if its smaller side has at most this many
  /// tokens (some seconds).
  int denseTokens = 2048;
  /// Eigenvalues of a matrix that is not symmetric are found densely up to this many tokens; their
  /// dense solver is fifty times slower.
  int denseEigenvalueTokens = 512;
  /// Number of values to look for, largest first, if a dense decomposition takes too long.
  int largest = 32;
  /// A kernel map up to this size is computed once and held while its largest values are found; a
  /// larger one is computed anew for every product.
  std::size_t heldBytes = std::size_t{128} << 20;
};

/// Returns all singular values of one head, without the eigenvalues that a Spectrum also has: from
/// the factors of factored maps, block by block within windows, and densely for other maps of up to
/// `denseTokens` on the smaller side, where that takes some milliseconds. Empty for larger ones.
/// Throws InspectionError for entries that are not finite; may throw Cancelled.
std::optional<SpectrumValues> allSingularValues(const AttentionMap& map, int head,
                                                const Progress& progress = {},
                                                int denseTokens = 512);

/// Returns only the largest singular value, to an accuracy of 1e-6; found by Lanczos' method if
/// allSingularValues() is empty.
double largestSingularValue(const AttentionMap& map, int head, const Progress& progress = {});

/// Returns the sum of the squares of all entries of one head, in one pass over its rows.
double squaredFrobeniusNorm(const AttentionMap& map, int head, const Progress& progress = {});

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
