#include "core/analysis/rollout/Rollout.h"
#include "core/analysis/tokens/TokenMap.h"
#include "core/attention/FactoredMap.h"
#include "tests/benchmark/RandomStack.h"

#include <benchmark/benchmark.h>
#include <memory>

namespace softscope {
namespace {

constexpr int rolloutHeads = 12;
constexpr int rolloutLayers = 12;
constexpr int rolloutFeatures = 49;

MatrixStack positiveStack(int count, int rows, int columns) {
  const MatrixStack random = randomStack(count, rows, columns);
  std::vector<Matrix> positive;
  for (int i = 0; i < count; ++i) positive.push_back(random[i].cwiseAbs());
  return MatrixStack(positive);
}

/// Layers of one factored map on a square grid.
AnalysedLayer factoredLayers(int side) {
  AttentionDescription description;
  description.mechanism = "performer";
  description.queryGrid = description.keyGrid = TokenGrid{side, side};
  const MatrixStack factor = positiveStack(rolloutHeads, side * side, rolloutFeatures);
  LayerInspection layer;
  layer.attention = std::make_shared<FactoredMap>(description, factor, MatrixStack(), factor);
  auto inspection = std::make_shared<Inspection>();
  inspection->layers.assign(rolloutLayers, layer);
  return {"model", "", inspection, rolloutLayers - 1, {0, 0, 1, 1}};
}

/// What a token sees through twelve layers of twelve heads, one row at a time.
void factoredRollout(benchmark::State& state) {
  const AnalysedLayer layers = factoredLayers(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(rollOut(layers, 7, {.residual = ResidualWeight::Half}));
  }
}

/// Its peer: the product of dense (A + I) / 2 over the same layers, as published code forms it, of
/// heads that are averaged already.
void denseRollout(benchmark::State& state) {
  const int tokens = static_cast<int>(state.range(0) * state.range(0));
  const Matrix map = Matrix::Random(tokens, tokens).cwiseAbs();
  for (auto _ : state) {
    Matrix product = Matrix::Identity(tokens, tokens);
    for (int layer = 0; layer < rolloutLayers; ++layer) product = (map * product).eval();
    benchmark::DoNotOptimize(product.data());
  }
}

/// What a click on the Tokens page computes: one layer's similarities, and all of twelve.
void tokenSimilarity(benchmark::State& state) {
  constexpr int channels = 768;
  constexpr int side = 56;
  LayerTokens layer{"", {side, side}, Matrix::Random(1 + side * side, channels), {}};
  layer.norms = layer.tokens.rowwise().norm();
  int token = 0;
  for (auto _ : state) {
    for (int i = 0; i < state.range(0); ++i) {
      benchmark::DoNotOptimize(cosineSimilarity(layer, layer, token));
    }
    token = (token + 919) % (side * side);
  }
}

BENCHMARK(factoredRollout)->Arg(14)->Arg(32)->Arg(256)->Unit(benchmark::kMillisecond);
BENCHMARK(denseRollout)->Arg(14)->Arg(32)->Unit(benchmark::kMillisecond);
BENCHMARK(tokenSimilarity)->Arg(1)->Arg(12)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softscope
