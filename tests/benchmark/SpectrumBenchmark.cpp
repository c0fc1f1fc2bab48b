#include "core/analysis/spectrum/Spectrum.h"
#include "core/attention/FactoredMap.h"

#include <Eigen/Eigenvalues>

#include <benchmark/benchmark.h>
#include <random>

namespace softscope {
namespace {

constexpr int spectrumLandmarks = 49;

Matrix randomMatrix(int rows, int columns) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(generator); });
}

FactoredMap softMap(int tokens) {
  const Matrix middle = randomMatrix(spectrumLandmarks, spectrumLandmarks);
  const MatrixStack factor(std::vector<Matrix>{randomMatrix(tokens, spectrumLandmarks)});
  return FactoredMap({}, factor, MatrixStack(std::vector<Matrix>{middle * middle.transpose()}),
                     factor);
}

/// The exact spectrum of one head of a SOFT layer, from its factors.
void factoredSpectrum(benchmark::State& state) {
  const FactoredMap map = softMap(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(attentionSpectrum(map, 0));
}

/// Its peer: a dense symmetric eigensolver on the whole matrix.
void denseSpectrum(benchmark::State& state) {
  const FactoredMap map = softMap(static_cast<int>(state.range(0)));
  const Eigen::MatrixXd whole = map.whole(0, std::size_t{1} << 30).cast<double>();
  for (auto _ : state) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(whole, Eigen::EigenvaluesOnly);
    benchmark::DoNotOptimize(solver.eigenvalues().sum());
  }
}

BENCHMARK(factoredSpectrum)->Arg(784)->Arg(3136)->Arg(65536)->Unit(benchmark::kMillisecond);
BENCHMARK(denseSpectrum)->Arg(784)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softscope
