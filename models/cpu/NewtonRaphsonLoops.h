#pragma once

#include <cstdint>

namespace softscope {

// The iteration of SmallMatrices.h for one matrix of floats or doubles, on plain arrays: m rows,
// padded as multiplySmall() wants them.

/// Copies m rows of m numbers, one behind the other, to padded ones; the padding is nought.
template <typename T>
void padRows(const T* rows, T* padded, std::int64_t m);
/// The way back.
template <typename T>
void unpadRows(const T* padded, T* rows, std::int64_t m);

/// `steps` steps from `start` times the matrix to `result`; `iterates` takes the matrices before
/// each step, unless it is null.
template <typename T>
void iterateNewtonRaphson(T start, const T* matrix, T* result, T* iterates, std::int64_t m,
                          int steps);

/// Gradients of the iteration whose `iterates` were kept, for the gradient of its result. With G
/// symmetric: dV = 2G - (G V A + A V G) and dA = -V G V, step by step from the last.
template <typename T>
void iterateNewtonRaphsonBack(const T* gradient, const T* matrix, const T* iterates,
                              T* startGradient, T* matrixGradient, std::int64_t m, int steps);

}  // namespace softscope
