#include "models/cpu/NewtonRaphsonLoops.h"

#include "core/EachProcessor.h"
#include "models/cpu/SmallGemm.h"

#include <algorithm>
#include <vector>

namespace softscope {

namespace {

/// result = 2 result - correction
SOFTSCOPE_FOR_EACH_PROCESSOR void correct(float* result, const float* correction,
                                          std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = 2 * result[i] - correction[i];
}

SOFTSCOPE_FOR_EACH_PROCESSOR void correct(double* result, const double* correction,
                                          std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = 2 * result[i] - correction[i];
}

}  // namespace

template <typename T>
void padRows(const T* rows, T* padded, std::int64_t m) {
  for (std::int64_t row = 0; row < m; ++row) {
    T* end = std::copy_n(rows + row * m, m, padded + row * paddedColumns(m));
    std::fill_n(end, paddedColumns(m) - m, T(0));
  }
}

template <typename T>
void unpadRows(const T* padded, T* rows, std::int64_t m) {
  for (std::int64_t row = 0; row < m; ++row) {
    std::copy_n(padded + row * paddedColumns(m), m, rows + row * m);
  }
}

template <typename T>
void iterateNewtonRaphson(T start, const T* matrix, T* result, T* iterates, std::int64_t m,
                          int steps) {
  const std::int64_t size = m * paddedColumns(m);
  std::vector<T> memory(static_cast<std::size_t>(2 * size));
  T* product = memory.data();
  T* correction = product + size;
  std::transform(matrix, matrix + size, result, [start](T value) { return start * value; });
  for (int step = 0; step < steps; ++step) {
    if (iterates != nullptr) std::copy_n(result, size, iterates + step * size);
    multiplySmall(result, matrix, product, m);
    multiplySmall(product, result, correction, m);
    correct(result, correction, size);
  }
}

template <typename T>
void iterateNewtonRaphsonBack(const T* gradient, const T* matrix, const T* iterates,
                              T* startGradient, T* matrixGradient, std::int64_t m, int steps) {
  const std::int64_t size = m * paddedColumns(m);
  std::vector<T> memory(static_cast<std::size_t>(2 * size));
  T* product = memory.data();
  T* other = product + size;
  T* flow = startGradient;
  const std::int64_t stride = paddedColumns(m);
  std::fill_n(flow, size, T(0));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < m; ++j) {
      // Only the symmetric part of the gradient matters for symmetric matrices.
      flow[i * stride + j] = (gradient[i * stride + j] + gradient[j * stride + i]) / 2;
    }
  }
  std::fill_n(matrixGradient, size, T(0));
  for (int step = steps - 1; step >= 0; --step) {
    const T* inverse = iterates + step * size;
    multiplySmall(flow, inverse, product, m);
    multiplySmall(inverse, product, other, m);
    for (std::int64_t i = 0; i < size; ++i) matrixGradient[i] -= other[i];
    multiplySmall(product, matrix, other, m);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        const std::int64_t at = i * stride + j;
        flow[at] = 2 * flow[at] - (other[at] + other[j * stride + i]);
      }
    }
  }
}

template void padRows(const float*, float*, std::int64_t);
template void padRows(const double*, double*, std::int64_t);
template void unpadRows(const float*, float*, std::int64_t);
template void unpadRows(const double*, double*, std::int64_t);
template void iterateNewtonRaphson(float, const float*, float*, float*, std::int64_t, int);
template void iterateNewtonRaphson(double, const double*, double*, double*, std::int64_t, int);
template void iterateNewtonRaphsonBack(const float*, const float*, const float*, float*, float*,
                                       std::int64_t, int);
template void iterateNewtonRaphsonBack(const double*, const double*, const double*, double*,
                                       double*, std::int64_t, int);

}  // namespace softscope
