#include "models/cpu/SmallGemm.h"

#include "models/cpu/Avx2Gemm.h"
#include "models/cpu/CpuFeatures.h"

#include <cstring>

namespace softscope {

namespace {

/// Computes the columns of the product from `column` up to `end`, which fill whole vectors, in
/// blocks of `Rows` rows and as many vectors as fit.
template <int Rows, typename Columns, typename T>
[[gnu::always_inline]] inline void multiplyColumns(const T* a, const T* b, T* product,
                                                   std::int64_t m, std::int64_t column,
                                                   std::int64_t end) {
  const std::int64_t stride = paddedColumns(m);
  for (; column + Columns::count <= end; column += Columns::count) {
    multiplyRows<Rows, Columns>(m, StridedMatrix<const T>{a, stride},
                                StridedMatrix<const T>{b + column, stride}, m,
                                StridedMatrix<T>{product + column, stride});
  }
  if constexpr (Columns::registers > 1) {
    using Fewer = BlockColumns<T, Columns::lanes, Columns::registers - 1>;
    multiplyColumns<Rows, Fewer>(a, b, product, m, column, end);
  }
}

/// Largest number of rows and columns for which the last column may be multiplied separately.
constexpr std::int64_t mostAlone = 64;

/// Computes one column of the product, for which a vector of columns would be mostly padding.
template <int Lanes, typename T>
[[gnu::always_inline]] inline void multiplyColumn(const T* a, const T* b, T* product,
                                                  std::int64_t m, std::int64_t column) {
  using Vector = typename BlockColumns<T, Lanes, 1>::Vector;
  const std::int64_t stride = paddedColumns(m);
  const std::int64_t whole = m / Lanes * Lanes;
  T factors[mostAlone];
  for (std::int64_t k = 0; k < m; ++k) factors[k] = b[k * stride + column];
  for (std::int64_t row = 0; row < m; ++row) {
    const T* from = a + row * stride;
    Vector sums = {};
    for (std::int64_t k = 0; k < whole; k += Lanes) {
      Vector left, right;
      std::memcpy(&left, from + k, sizeof(Vector));
      std::memcpy(&right, factors + k, sizeof(Vector));
      sums += left * right;
    }
    T sum = 0;
    for (std::int64_t k = whole; k < m; ++k) sum += from[k] * factors[k];
    for (int lane = 0; lane < Lanes; ++lane) sum += sums[lane];
    product[row * stride + column] = sum;
  }
}

/// Computes the whole product in registers of `Lanes` values, in blocks of `Rows` rows and at most
/// `Registers` registers: as many sums as the processor has registers for, so that time is spent on
/// multiplying and not on reading.
template <int Lanes, int Rows, int Registers, typename T>
[[gnu::always_inline]] inline void multiplyByLanes(const T* a, const T* b, T* product,
                                                   std::int64_t m) {
  const bool lastAlone = m % Lanes == 1 && m <= mostAlone;
  // The last vector may extend into the padding.
  const std::int64_t end = lastAlone ? m - 1 : (m + Lanes - 1) / Lanes * Lanes;
  multiplyColumns<Rows, BlockColumns<T, Lanes, Registers>>(a, b, product, m, 0, end);
  if (lastAlone) multiplyColumn<Lanes>(a, b, product, m, end);
}

#if defined(__x86_64__)

[[gnu::target("avx512f")]] void multiplyAvx512(const float* a, const float* b, float* product,
                                               std::int64_t m) {
  multiplyByLanes<16, 8, 3>(a, b, product, m);
}

[[gnu::target("avx2,fma")]] void multiplyAvx2(const float* a, const float* b, float* product,
                                              std::int64_t m) {
  multiplyByLanes<8, 6, 2>(a, b, product, m);
}

#endif

}  // namespace

void multiplySmall(const float* a, const float* b, float* product, std::int64_t m) {
#if defined(__x86_64__)
  if (hasAvx512()) return multiplyAvx512(a, b, product, m);
  if (hasAvx2()) return multiplyAvx2(a, b, product, m);
#endif
  multiplyByLanes<4, 8, 1>(a, b, product, m);
}

void multiplySmall(const double* a, const double* b, double* product, std::int64_t m) {
  multiplyByLanes<2, 8, 1>(a, b, product, m);
}

}  // namespace softscope
