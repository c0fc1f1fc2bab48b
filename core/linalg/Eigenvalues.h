#pragma once

#include "core/linalg/SpectrumValues.h"

#include <complex>
#include <vector>

namespace softscope {

/// The eigenvalues of a square matrix; `values` are their magnitudes.
struct Eigenvalues : SpectrumValues {
  /// In the order of `values`.
  std::vector<double> realParts;
  /// The matrix is symmetric, so that the real parts are the eigenvalues.
  bool symmetric = false;
  /// Real parts of at most this magnitude are zero to rounding: they may have either sign in a
  /// matrix whose entries differ from this one's by float32's rounding.
  double rounding = 0;
};

/// Eigenvalues in any order, largest first. `size` is the side of the matrix that they were found
/// from, whose entries came in float32: `rounding` is size * 2^-23 * the largest magnitude, as is
/// usual for the rank of a matrix.
Eigenvalues sortedEigenvalues(std::vector<std::complex<double>> eigenvalues, int size);

/// -1, 0 or 1: of the real part of an eigenvalue, 0 where it is zero to rounding.
int signOf(const Eigenvalues& eigenvalues, std::size_t index);

/// How many eigenvalues have which sign.
struct EigenvalueSigns {
  int all = 0;
  int negative = 0;
  int zero = 0;  ///< to rounding
  /// The negative real part of the largest magnitude; 0 if there is none.
  double mostNegative = 0;

  void add(const EigenvalueSigns& other);
};

EigenvalueSigns countSigns(const Eigenvalues& eigenvalues);

}  // namespace softscope
