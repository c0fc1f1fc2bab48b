#pragma once

#include <complex>
#include <string>
#include <vector>

namespace softscope {

/// Singular values, or magnitudes of eigenvalues, and how they were found.
struct SpectrumValues {
  /// The values, largest first.
  std::vector<double> values;
  /// Number of values looked for. If `values` has fewer, some did not converge and are left out.
  int wanted = 0;
  /// True if `wanted` covers all values rather than only the largest. Those that are zero because
  /// of the factors' sizes do not count.
  bool all = true;
  /// How the values were found, for the plot's caption: `dense, 197 x 197, float64`.
  std::string method;

  bool converged() const { return static_cast<int>(values.size()) == wanted; }
};

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
