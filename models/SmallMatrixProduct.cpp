#include "models/SmallMatrixProduct.h"

#include <cstring>

namespace softscope {

namespace {

template <typename T, int Lanes>
struct Vector {
  using Type [[gnu::vector_size(Lanes * sizeof(T))]] = T;
};

/// `Rows` rows of the product, `Lanes` columns wide.
template <typename T, int Rows, int Lanes>
[[gnu::always_inline]] inline void multiplyBlock(const T* a, const T* b, T* product, std::int64_t m,
                                                 std::int64_t stride) {
  using Values = typename Vector<T, Lanes>::Type;
  Values sums[Rows] = {};
  for (std::int64_t k = 0; k < m; ++k) {
    Values line;
    std::memcpy(&line, b + k * stride, sizeof line);
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) sums[row] += a[row * stride + k] * line;
  }
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row) {
    std::memcpy(product + row * stride, &sums[row], sizeof sums[row]);
  }
}

template <typename T, int Lanes>
[[gnu::always_inline]] inline void multiplyInBlocks(const T* a, const T* b, T* product,
                                                    std::int64_t m) {
  constexpr int rows = 8;
  const std::int64_t stride = paddedColumns(m);
  for (std::int64_t column = 0; column < stride; column += Lanes) {
    std::int64_t row = 0;
    for (; row + rows <= m; row += rows) {
      multiplyBlock<T, rows, Lanes>(a + row * stride, b + column, product + row * stride + column,
                                    m, stride);
    }
    for (; row < m; ++row) {
      multiplyBlock<T, 1, Lanes>(a + row * stride, b + column, product + row * stride + column, m,
                                 stride);
    }
  }
}

#if defined(__x86_64__)

[[gnu::target("avx512f")]] void multiplyAvx512(const float* a, const float* b, float* product,
                                               std::int64_t m) {
  multiplyInBlocks<float, 16>(a, b, product, m);
}

[[gnu::target("avx2,fma")]] void multiplyAvx2(const float* a, const float* b, float* product,
                                              std::int64_t m) {
  multiplyInBlocks<float, 8>(a, b, product, m);
}

#endif

}  // namespace

void multiplySmall(const float* a, const float* b, float* product, std::int64_t m) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return multiplyAvx512(a, b, product, m);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return multiplyAvx2(a, b, product, m);
  }
#endif
  multiplyInBlocks<float, 4>(a, b, product, m);
}

void multiplySmall(const double* a, const double* b, double* product, std::int64_t m) {
  multiplyInBlocks<double, 2>(a, b, product, m);
}

}  // namespace softscope
