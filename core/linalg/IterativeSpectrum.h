#pragma once

#include "core/linalg/Eigenvalues.h"
#include "core/linalg/LinearOperator.h"

namespace softscope {

// The largest values of a matrix too large for a dense decomposition, from its products alone
// (Spectra). What does not converge is left out, and SpectrumValues::method says how many that is.

/// Of a symmetric matrix whose eigenvalues are not negative, by Lanczos' method; they are its
/// singular values as well. Right to 1e-12 of the largest.
Eigenvalues largestSemidefiniteValues(const LinearOperator& matrix, int count);

/// Of any matrix, by Lanczos' method on the smaller of S^T S and S S^T, whose eigenvalues are the
/// squares: right to 1e-6 of the largest.
SpectrumValues largestSingularValues(const LinearOperator& matrix, int count);

/// Of any square matrix, those of the largest magnitude, by Arnoldi's method.
Eigenvalues largestEigenvalues(const LinearOperator& matrix, int count);

}  // namespace softscope
