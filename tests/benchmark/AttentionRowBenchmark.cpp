#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"

#include <benchmark/benchmark.h>
#include <random>

namespace softscope {
namespace {

constexpr int heads = 12;
constexpr int landmarks = 49;
constexpr int width = 32;

MatrixStack randomStack(int rows, int columns) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<Matrix> matrices;
  for (int head = 0; head < heads; ++head) {
    matrices.push_back(Matrix::NullaryExpr(rows, columns, [&] { return normal(generator); }));
  }
  return MatrixStack(matrices);
}

void rowOfEveryHead(benchmark::State& state, const AttentionMap& map) {
  int query = 0;
  for (auto _ : state) {
    for (int head = 0; head < heads; ++head) benchmark::DoNotOptimize(map.row(head, query));
    query = (query + 7919) % map.description().queries;
  }
}

/// What a click costs: one row of each of twelve heads of SOFT.
void factoredRow(benchmark::State& state) {
  const MatrixStack factor = randomStack(static_cast<int>(state.range(0)), landmarks);
  const FactoredMap map({}, factor, randomStack(landmarks, landmarks), factor);
  rowOfEveryHead(state, map);
}

/// Its peer: the same of softmax attention.
void softmaxRow(benchmark::State& state) {
  const MatrixStack tokens = randomStack(static_cast<int>(state.range(0)), width);
  const KernelMap map({}, KernelMap::Kernel::Softmax, tokens, tokens, 0.18);
  rowOfEveryHead(state, map);
}

BENCHMARK(factoredRow)->Arg(3136)->Arg(65536)->Unit(benchmark::kMillisecond);
BENCHMARK(softmaxRow)->Arg(3136)->Arg(65536)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softscope
