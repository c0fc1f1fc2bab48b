#include "core/linalg/Eigenvalues.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softscope {

Eigenvalues sortedEigenvalues(std::vector<std::complex<double>> eigenvalues, int size) {
  // Conjugates, and pairs of opposite sign, have equal magnitudes.
  std::sort(eigenvalues.begin(), eigenvalues.end(), [](const auto& a, const auto& b) {
    const double first = std::abs(a);
    const double second = std::abs(b);
    return first != second ? first > second : a.real() > b.real();
  });
  Eigenvalues sorted;
  for (const std::complex<double>& value : eigenvalues) {
    sorted.values.push_back(std::abs(value));
    sorted.realParts.push_back(value.real());
  }
  const double largest = sorted.values.empty() ? 0 : sorted.values.front();
  sorted.rounding = size * static_cast<double>(std::numeric_limits<float>::epsilon()) * largest;
  return sorted;
}

int signOf(const Eigenvalues& eigenvalues, std::size_t index) {
  const double real = eigenvalues.realParts[index];
  if (std::abs(real) <= eigenvalues.rounding) return 0;
  return real < 0 ? -1 : 1;
}

void EigenvalueSigns::add(const EigenvalueSigns& other) {
  all += other.all;
  negative += other.negative;
  zero += other.zero;
  mostNegative = std::min(mostNegative, other.mostNegative);
}

EigenvalueSigns countSigns(const Eigenvalues& eigenvalues) {
  EigenvalueSigns signs;
  for (std::size_t i = 0; i < eigenvalues.realParts.size(); ++i) {
    const int sign = signOf(eigenvalues, i);
    ++signs.all;
    if (sign == 0) ++signs.zero;
    if (sign >= 0) continue;
    ++signs.negative;
    signs.mostNegative = std::min(signs.mostNegative, eigenvalues.realParts[i]);
  }
  return signs;
}

}  // namespace softscope
