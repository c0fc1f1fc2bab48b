#include "core/network/Device.h"
#include "core/network/Inspector.h"
#include "core/network/Network.h"
#include "models/OpenModel.h"

#include <torch/types.h>

#include <benchmark/benchmark.h>
#include <cstdlib>

namespace softscope {
namespace {

/// The bundled SOFT++, or the checkpoint that SOFTSCOPE_BENCHMARK_MODEL names: to be compared with
/// its authors' code, with as many threads as OMP_NUM_THREADS says, on SOFTSCOPE_BENCHMARK_DEVICE.
std::shared_ptr<const Model> measuredModel() {
  const char* threads = std::getenv("OMP_NUM_THREADS");
  setComputeThreads(threads != nullptr ? std::atoi(threads) : 0);
  const char* chosen = std::getenv("SOFTSCOPE_BENCHMARK_MODEL");
  const char* device = std::getenv("SOFTSCOPE_BENCHMARK_DEVICE");
  return openModel({.path = chosen != nullptr ? chosen
                                              : SOFTSCOPE_SOURCE
                                "/resources/checkpoints/soft_norm_everyday10.safetensors",
                    .device = device != nullptr ? device : "cpu"});
}

InputTensor randomInput(int side) {
  const torch::Tensor values = torch::randn({3, side, side});
  return {side, side,
          std::vector<float>(values.data_ptr<float>(), values.data_ptr<float>() + values.numel())};
}

/// Passes before those that are measured: layers keep their weights in oneDNN's order from the
/// second on. Peers have seen the picture before as well.
constexpr int passesBefore = 3;

/// The forward pass as the window runs it, every layer recorded.
void forwardRecorded(benchmark::State& state) {
  const auto model = measuredModel();
  const InputTensor input = randomInput(static_cast<int>(state.range(0)));
  for (int pass = 0; pass < passesBefore; ++pass) inspect(*model, input);
  for (auto _ : state) benchmark::DoNotOptimize(inspect(*model, input));
}

/// Its peer: the same pass with nobody recording.
void forwardAlone(benchmark::State& state) {
  const auto model = measuredModel();
  const c10::InferenceMode inference;
  const auto side = state.range(0);
  const torch::Tensor input = torch::randn({1, 3, side, side}).to(model->network().device());
  for (int pass = 0; pass < passesBefore; ++pass) model->network().forward(input, nullptr);
  for (auto _ : state) {
    const torch::Tensor logits = model->network().forward(input, nullptr);
    // A GPU copies either only after what it was asked for before. A backbone has no logits.
    benchmark::DoNotOptimize((logits.defined() ? logits : input).cpu());
  }
}

BENCHMARK(forwardRecorded)
    ->Arg(160)
    ->Arg(224)
    ->Arg(448)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(forwardAlone)->Arg(160)->Arg(224)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace softscope
