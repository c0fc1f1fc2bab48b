#pragma once

#include "core/Matrix.h"

#include <complex>
#include <vector>

namespace softscope {

/// The eigenvalues of a bottleneck matrix A [m, m], as it is and normalised.
struct BottleneckEigenvalues {
  /// Of A, largest magnitude first. Real (imaginary parts are 0) where A is symmetric, as SOFT's.
  std::vector<std::complex<double>> ofKernel;
  /// Of D^-1 A, D its row sums; one of them is 1.
  std::vector<std::complex<double>> ofNormalised;
};

/// Dense, in float64. Throws InspectionError for entries that are not finite and for rows whose sum
/// is not positive.
BottleneckEigenvalues bottleneckEigenvalues(const Matrix& kernel);

/// How many are within `tolerance` of 1. Of D^-1 A that is k where A falls into k parts that hardly
/// touch: the k of "k-connected" (Proposition 5 of "Softmax-free Linear Transformers", 2024, arXiv
/// 2207.03341).
int countNearOne(const std::vector<std::complex<double>>& eigenvalues, double tolerance = 0.05);

}  // namespace softscope
