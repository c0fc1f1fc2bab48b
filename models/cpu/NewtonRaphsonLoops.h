#pragma once

#include <cstdint>

namespace softscope {

// The iteration of SmallMatrices.h for one matrix, on plain arrays: m rows, padded as
// multiplySmall() wants them.

/// `steps` steps from `start` to `result`; `iterates` takes the matrices before each step, unless
/// it is null.
void iterateNewtonRaphson(const float* start, const float* matrix, float* result, float* iterates,
                          std::int64_t m, int steps);
void iterateNewtonRaphson(const double* start, const double* matrix, double* result,
                          double* iterates, std::int64_t m, int steps);

/// Gradients of the iteration whose `iterates` were kept, for the gradient of its result.
void iterateNewtonRaphsonBack(const float* gradient, const float* matrix, const float* iterates,
                              float* startGradient, float* matrixGradient, std::int64_t m,
                              int steps);
void iterateNewtonRaphsonBack(const double* gradient, const double* matrix, const double* iterates,
                              double* startGradient, double* matrixGradient, std::int64_t m,
                              int steps);

}  // namespace softscope
