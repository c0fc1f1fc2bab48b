#include "models/scan/SelectiveScan.h"

#include "core/attention/SelectiveScanMap.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace softscope {

namespace {

/// Arranges the first picture's [scans, n, x] by the tokens of the map.
torch::Tensor inMapOrder(const torch::Tensor& scanned, const std::vector<std::vector<int>>& order) {
  torch::Tensor arranged = at::empty_like(scanned[0]);
  for (std::size_t scan = 0; scan < order.size(); ++scan) {
    const torch::Tensor tokens = torch::tensor(order[scan], torch::kInt64).to(scanned.device());
    const auto index = static_cast<std::int64_t>(scan);
    arranged[index].index_copy_(0, tokens, scanned[0][index]);
  }
  return arranged;
}

}  // namespace

SelectiveScan projectSelectiveScan(const torch::Tensor& values, const torch::Tensor& projection,
                                   const torch::Tensor& stepWeight, const torch::Tensor& stepBias,
                                   const torch::Tensor& logRates) {
  const std::int64_t ranks = stepWeight.size(-1);
  const std::int64_t states = logRates.size(-1);
  const std::vector<torch::Tensor> parts = at::matmul(values, projection.transpose(-1, -2))
                                               .split_with_sizes({ranks, states, states}, -1);
  const torch::Tensor steps =
      at::softplus(at::matmul(parts[0], stepWeight.transpose(-1, -2)) + stepBias.unsqueeze(-2));
  return {steps, -logRates.exp(), parts[1], parts[2]};
}

torch::Tensor scanSelectively(const SelectiveScan& scan, const torch::Tensor& values,
                              const Recorder* recorder) {
  constexpr std::int64_t tokensBetweenChecks = 64;
  const torch::Tensor written = scan.steps * values;
  torch::Tensor state = at::zeros(
      {values.size(0), values.size(1), values.size(3), scan.rates.size(-1)}, values.options());
  const torch::Tensor result = at::empty_like(values);
  for (std::int64_t token = 0; token < values.size(2); ++token) {
    if (recorder != nullptr && token % tokensBetweenChecks == 0) recorder->throwIfCancelled();
    const auto of = [token](const torch::Tensor& x) { return x.select(2, token); };
    // A gradient needs the exponential and the former state as they were.
    state = (of(scan.steps).unsqueeze(-1) * scan.rates).exp_() * state;
    state.addcmul_(of(written).unsqueeze(-1), of(scan.write).unsqueeze(-2));
    result.select(2, token).copy_(at::matmul(state, of(scan.read).unsqueeze(-1)).squeeze(-1));
  }
  return result;
}

BuiltTensors mapOfScans(const SelectiveScan& scan, std::vector<std::vector<int>> order) {
  std::vector<torch::Tensor> parts{inMapOrder(scan.read, order), inMapOrder(scan.write, order),
                                   inMapOrder(scan.steps, order), scan.rates};
  return {std::move(parts), [order = std::move(order)](const AttentionDescription& description,
                                                       const BuiltTensors::Parts& built) {
            return std::make_shared<SelectiveScanMap>(description,
                                                      SelectiveScanMap::Parts{.read = built[0],
                                                                              .write = built[1],
                                                                              .steps = built[2],
                                                                              .rates = built[3],
                                                                              .order = order});
          }};
}

}  // namespace softscope
