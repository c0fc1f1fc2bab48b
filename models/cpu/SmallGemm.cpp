#include "models/cpu/SmallGemm.h"

#include "models/cpu/Avx2Gemm.h"
#include "models/cpu/CpuFeatures.h"

namespace softscope {

namespace {

/// `Columns` of the product from column `column` on, `Rows` rows at a time.
template <int Rows, typename Columns, typename T>
[[gnu::always_inline]] inline void multiplyColumns(const T* a, const T* b, T* product,
                                                   std::int64_t m, std::int64_t column) {
  const std::int64_t stride = paddedColumns(m);
  multiplyRows<Rows, Columns>(m, MatrixView<const T>{a, stride},
                              MatrixView<const T>{b + column, stride}, m,
                              MatrixView<T>{product + column, stride});
}

/// All of it in registers of `Lanes` values.
template <typename T, int Lanes>
[[gnu::always_inline]] inline void multiplyByLanes(const T* a, const T* b, T* product,
                                                   std::int64_t m) {
  for (std::int64_t column = 0; column < m; column += Lanes) {
    multiplyColumns<8, BlockColumns<T, Lanes, 1>>(a, b, product, m, column);
  }
}

#if defined(__x86_64__)

[[gnu::target("avx512f")]] void multiplyAvx512(const float* a, const float* b, float* product,
                                               std::int64_t m) {
  multiplyByLanes<float, 16>(a, b, product, m);
}

/// 16 registers, 12 of them for the sums of most columns, so that multiplying and not reading is
/// what takes the time.
[[gnu::target("avx2,fma")]] void multiplyAvx2(const float* a, const float* b, float* product,
                                              std::int64_t m) {
  using Wide = BlockColumns<float, 8, 2>;
  std::int64_t column = 0;
  for (; column + Wide::lanes < m; column += Wide::count) {
    multiplyColumns<6, Wide>(a, b, product, m, column);
  }
  if (column < m) multiplyColumns<10, BlockColumns<float, 8, 1>>(a, b, product, m, column);
}

#endif

}  // namespace

void multiplySmall(const float* a, const float* b, float* product, std::int64_t m) {
#if defined(__x86_64__)
  if (hasAvx512()) return multiplyAvx512(a, b, product, m);
  if (hasAvx2()) return multiplyAvx2(a, b, product, m);
#endif
  multiplyByLanes<float, 4>(a, b, product, m);
}

void multiplySmall(const double* a, const double* b, double* product, std::int64_t m) {
  multiplyByLanes<double, 2>(a, b, product, m);
}

}  // namespace softscope
