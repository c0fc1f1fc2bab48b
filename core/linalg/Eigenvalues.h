#pragma once

#include "core/linalg/SpectrumValues.h"

#include <complex>
#include <vector>

namespace softscope {

/// The eigenvalues of a square matrix; `values` are their magnitudes.
struct Eigenvalues : SpectrumValues {
  /// Real parts of the eigenvalues, in the order of `values`.
  std::vector<double> realParts;
  /// True if the matrix is symmetric, so that the real parts are the eigenvalues.
  bool symmetric = false;
  /// Real parts of at most this magnitude are zero up to rounding: they may have either sign in a
  /// matrix whose entries differ from this one's by float32's rounding.
  double rounding = 0;
};

/// Sorts eigenvalues, given in any order, with the largest first. `size` is the side of their
/// matrix, whose entries were float32: `rounding` becomes size * 2^-23 * the largest magnitude, as
/// is usual for the rank of a matrix.
Eigenvalues sortedEigenvalues(std::vector<std::complex<double>> eigenvalues, int size);

/// Returns the sign of an eigenvalue's real part, -1, 0 or 1; 0 if it is zero up to rounding.
int signOf(const Eigenvalues& eigenvalues, std::size_t index);

/// Counts of the eigenvalues of each sign.
struct EigenvalueSigns {
  int all = 0;
  int negative = 0;
  int zero = 0;  ///< zero up to rounding
  /// The negative real part of the largest magnitude; 0 if there is none.
  double mostNegative = 0;

  void add(const EigenvalueSigns& other);
};

EigenvalueSigns countSigns(const Eigenvalues& eigenvalues);

}  // namespace softscope
