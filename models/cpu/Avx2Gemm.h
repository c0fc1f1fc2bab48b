#pragma once

#include <cstdint>
#include <cstring>

namespace softscope {

// Matrix products, computed block by block in the processor's registers. Everything is inlined into
// functions that declare with [[gnu::target]] which registers exist; functions without it have what
// every processor has.

/// A matrix in memory: its first element, and the distance between its rows.
template <typename T>
struct StridedMatrix {
  T* first;
  std::int64_t stride;

  [[gnu::always_inline]] StridedMatrix at(std::int64_t row, std::int64_t column) const {
    return {first + row * stride + column, stride};
  }
};

/// Columns of a block: `Registers` vectors of `Lanes` values.
template <typename T, int Lanes, int Registers>
struct BlockColumns {
  using Vector [[gnu::vector_size(Lanes * sizeof(T))]] = T;
  static constexpr std::int64_t lanes = Lanes;
  static constexpr std::int64_t registers = Registers;
  static constexpr std::int64_t count = Lanes * Registers;
};

/// Computes a block of product = a b, where b has `depth` rows.
template <int Rows, typename Columns, typename T>
[[gnu::always_inline]] inline void multiplyBlock(StridedMatrix<const T> a, StridedMatrix<const T> b,
                                                 std::int64_t depth, StridedMatrix<T> product) {
  using Vector = typename Columns::Vector;
  constexpr int registers = Columns::registers;
  Vector sums[Rows][registers] = {};
  std::int64_t k = 0;
  do {
    Vector line[registers];
#pragma GCC unroll 4
    for (int i = 0; i < registers; ++i) {
      std::memcpy(&line[i], b.at(k, i * Columns::lanes).first, sizeof(Vector));
    }
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row) {
      const T factor = *a.at(row, k).first;
#pragma GCC unroll 4
      for (int i = 0; i < registers; ++i) sums[row][i] += factor * line[i];
    }
  } while (++k < depth);
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    T* to = product.at(row, 0).first;
#pragma GCC unroll 4
    for (int i = 0; i < registers; ++i) {
      std::memcpy(to + i * Columns::lanes, &sums[row][i], sizeof(Vector));
    }
  }
}

/// Computes `rows` rows of product = a b, at most `Most`, as one block; b has `depth` rows.
template <int Most, typename Columns, typename T>
[[gnu::always_inline]] inline void multiplyUpTo(std::int64_t rows, StridedMatrix<const T> a,
                                                StridedMatrix<const T> b, std::int64_t depth,
                                                StridedMatrix<T> product) {
  if (rows == Most) {
    multiplyBlock<Most, Columns>(a, b, depth, product);
  } else if constexpr (Most > 1) {
    multiplyUpTo<Most - 1, Columns>(rows, a, b, depth, product);
  }
}

/// Computes any number of rows of product = a b in blocks of at most `Most`; b has `depth` rows.
/// The rows are divided evenly among blocks, because the additions to a single row wait for each
/// other.
template <int Most, typename Columns, typename T>
[[gnu::always_inline]] inline void multiplyRows(std::int64_t rows, StridedMatrix<const T> a,
                                                StridedMatrix<const T> b, std::int64_t depth,
                                                StridedMatrix<T> product) {
  const std::int64_t blocks = (rows + Most - 1) / Most;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t begin = block * rows / blocks;
    const std::int64_t end = (block + 1) * rows / blocks;
    multiplyUpTo<Most, Columns>(end - begin, a.at(begin, 0), b, depth, product.at(begin, 0));
  }
}

}  // namespace softscope
