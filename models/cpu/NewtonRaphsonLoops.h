#pragma once

#include <cstdint>

namespace softscope {

// The iteration of SmallMatrices.h for one matrix of floats or doubles, on plain arrays: m rows,
// padded as multiplySmall() wants them.

/// `steps` steps from `start` to `result`; `iterates` takes the matrices before each step, unless
/// it is null.
template <typename T>
void iterateNewtonRaphson(const T* start, const T* matrix, T* result, T* iterates, std::int64_t m,
                          int steps);

/// Gradients of the iteration whose `iterates` were kept, for the gradient of its result. With G
/// symmetric: dV = 2G - (G V A + A V G) and dA = -V G V, step by step from the last.
template <typename T>
void iterateNewtonRaphsonBack(const T* gradient, const T* matrix, const T* iterates,
                              T* startGradient, T* matrixGradient, std::int64_t m, int steps);

}  // namespace softscope
