#pragma once

#include <cstdint>

namespace softscope {

// The iteration of SmallMatrices.h for one matrix of floats or doubles, on plain arrays: m rows,
// padded as multiplySmall() requires.

/// Copies m contiguous rows of m numbers to padded rows; the padding is zero.
template <typename T>
void padRows(const T* rows, T* padded, std::int64_t m);
/// Copies padded rows back to contiguous ones.
template <typename T>
void unpadRows(const T* padded, T* rows, std::int64_t m);

/// Takes `steps` steps from `start` times the matrix to `result`. Unless it is null, `iterates`
/// receives the iterates before each step.
template <typename T>
void iterateNewtonRaphson(T start, const T* matrix, T* result, T* iterates, std::int64_t m,
                          int steps);

/// Computes the gradients of the iteration from the gradient of its result and the `iterates` that
/// were kept. With G symmetric: dV = 2G - (G V A + A V G) and dA = -V G V, step by step from the
/// last.
template <typename T>
void iterateNewtonRaphsonBack(const T* gradient, const T* matrix, const T* iterates,
                              T* startGradient, T* matrixGradient, std::int64_t m, int steps);

}  // namespace softscope
