#include "core/linalg/PowerLaw.h"

#include <cassert>
#include <cmath>
#include <cstddef>

namespace softscope {

namespace {

bool hasLogarithm(double value) {
  return value > 0 && std::isfinite(value);
}

}  // namespace

std::optional<PowerLaw> fitPowerLaw(const std::vector<double>& x, const std::vector<double>& y) {
  assert(x.size() == y.size());
  std::vector<double> logX;
  std::vector<double> logY;
  double meanX = 0;
  double meanY = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!hasLogarithm(x[i]) || !hasLogarithm(y[i])) continue;
    logX.push_back(std::log(x[i]));
    logY.push_back(std::log(y[i]));
    meanX += logX.back();
    meanY += logY.back();
  }
  if (logX.empty()) return std::nullopt;
  meanX /= static_cast<double>(logX.size());
  meanY /= static_cast<double>(logX.size());
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < logX.size(); ++i) {
    squares += (logX[i] - meanX) * (logX[i] - meanX);
    products += (logX[i] - meanX) * (logY[i] - meanY);
  }
  if (!(squares > 1e-20)) return std::nullopt;
  const double exponent = products / squares;
  PowerLaw law{.factor = std::exp(meanY - exponent * meanX), .exponent = exponent};
  if (logX.size() < 3) return law;
  double residuals = 0;
  for (std::size_t i = 0; i < logX.size(); ++i) {
    const double residual = logY[i] - meanY - exponent * (logX[i] - meanX);
    residuals += residual * residual;
  }
  law.exponentError = std::sqrt(residuals / static_cast<double>(logX.size() - 2) / squares);
  return law;
}

}  // namespace softscope
