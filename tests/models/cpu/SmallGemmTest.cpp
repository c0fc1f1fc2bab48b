#include "models/cpu/SmallGemm.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <vector>

namespace softscope::test {
namespace {

/// With the padding of rows filled by what must not matter.
template <typename T>
std::vector<T> paddedRows(const torch::Tensor& matrix) {
  const std::int64_t m = matrix.size(0);
  const torch::Tensor padded = at::constant_pad_nd(matrix, {0, paddedColumns(m) - m}, 1e6)
                                   .to(torch::CppTypeToScalarType<T>::value)
                                   .contiguous();
  return {padded.data_ptr<T>(), padded.data_ptr<T>() + padded.numel()};
}

template <typename T>
torch::Tensor multiplied(const torch::Tensor& a, const torch::Tensor& b) {
  const std::int64_t m = a.size(0);
  std::vector<T> product(static_cast<std::size_t>(m * paddedColumns(m)));
  multiplySmall(paddedRows<T>(a).data(), paddedRows<T>(b).data(), product.data(), m);
  return torch::from_blob(product.data(), {m, paddedColumns(m)},
                          torch::CppTypeToScalarType<T>::value)
      .slice(1, 0, m)
      .clone()
      .to(torch::kFloat64);
}

/// Sizes that fill vectors, and that leave one column or several.
TEST(SmallGemm, IsTheProductOfEverySize) {
  torch::manual_seed(1);
  for (int m = 1; m <= 70; ++m) {
    const torch::Tensor a = torch::randn({m, m}, torch::kFloat64);
    const torch::Tensor b = torch::randn({m, m}, torch::kFloat64);
    const torch::Tensor expected = a.mm(b);
    const auto difference = [&](const torch::Tensor& product) {
      return (product - expected).abs().max().item<double>();
    };
    EXPECT_LT(difference(multiplied<float>(a, b)), 2e-5) << m;
    EXPECT_LT(difference(multiplied<double>(a, b)), 1e-13) << m;
  }
}

}  // namespace
}  // namespace softscope::test
