#pragma once

#include <cstddef>

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

}  // namespace softscope
