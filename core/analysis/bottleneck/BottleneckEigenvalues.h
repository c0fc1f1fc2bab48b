#pragma once

#include "core/Matrix.h"

#include <complex>
#include <vector>

namespace softscope {

/// The eigenvalues of a bottleneck matrix A [m, m], as it is and normalised.
struct BottleneckEigenvalues {
  /// Eigenvalues of A, largest magnitude first. Real (imaginary parts are 0) if A is symmetric,
  /// like SOFT's.
  std::vector<std::complex<double>> ofKernel;
  /// The m eigenvalues of D^-1 A, largest magnitude first, where the diagonal matrix D holds A's
  /// row sums; one of the eigenvalues is 1.
  std::vector<std::complex<double>> ofNormalised;
};

/// Decomposes the kernel densely, in float64. Throws InspectionError for entries that are not
/// finite and for rows whose sum is not positive.
BottleneckEigenvalues bottleneckEigenvalues(const Matrix& kernel);

/// Returns the number of eigenvalues within `tolerance` of 1. For D^-1 A this is k if A falls into
/// k nearly separate parts: the k of "k-connected" (Proposition 5 of "Softmax-free Linear
/// Transformers", 2024, arXiv 2207.03341).
int countNearOne(const std::vector<std::complex<double>>& eigenvalues, double tolerance = 0.05);

}  // namespace softscope
