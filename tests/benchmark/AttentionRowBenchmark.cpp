#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "tests/benchmark/RandomStack.h"

#include <benchmark/benchmark.h>

namespace softscope {
namespace {

constexpr int rowHeads = 12;
constexpr int rowLandmarks = 49;
constexpr int width = 32;

void rowOfEveryHead(benchmark::State& state, const AttentionMap& map) {
  int query = 0;
  for (auto _ : state) {
    for (int head = 0; head < rowHeads; ++head) benchmark::DoNotOptimize(map.row(head, query));
    query = (query + 7919) % map.description().queries;
  }
  // The same for every number of tokens: memory grows with it and not with its square.
  state.counters["bytes_per_token"] = static_cast<double>(map.bytes()) / map.description().queries;
}

/// What a click costs: one row of each of twelve heads of SOFT.
void factoredRow(benchmark::State& state) {
  const MatrixStack factor = randomStack(rowHeads, static_cast<int>(state.range(0)), rowLandmarks);
  const FactoredMap map({}, factor, randomStack(rowHeads, rowLandmarks, rowLandmarks), factor);
  rowOfEveryHead(state, map);
}

/// Its peer: the same of softmax attention.
void softmaxRow(benchmark::State& state) {
  const MatrixStack tokens = randomStack(rowHeads, static_cast<int>(state.range(0)), width);
  const KernelMap map({}, KernelMap::Kernel::Softmax, tokens, tokens, 0.18);
  rowOfEveryHead(state, map);
}

BENCHMARK(factoredRow)->Arg(3136)->Arg(65536)->Unit(benchmark::kMillisecond);
BENCHMARK(softmaxRow)->Arg(3136)->Arg(65536)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softscope
