#pragma once

#include "core/Matrix.h"
#include "core/attention/Mechanism.h"
#include "core/inspect/Inspection.h"

#include <complex>
#include <vector>

namespace softscope {

/// Returns a head's bottleneck matrix A, [m, m]. Throws InspectionError with the reason for a
/// mechanism without landmarks and for a head that does not exist.
const Matrix& bottleneckOf(const LayerInspection& layer, int head);

/// Returns the inverse of A that the iteration computed, for SOFT++ before D^(-1/2) is applied.
/// Throws like bottleneckOf().
const Matrix& bottleneckInverseOf(const LayerInspection& layer, int head);

/// Returns a scheme's iterate for one head's bottleneck matrix after as many steps as the released
/// code takes (6 for Nyströmformer, 20 for all others), in float32 like that code. `kernels` holds
/// the matrices of all heads, because SOFT++ gives all of them the same start.
Matrix releasedInverse(const std::vector<Matrix>& kernels, int head, InverseScheme scheme);

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
