#include "models/attention/SoftmaxAttention.h"

#include "models/attention/MechanismImplementation.h"
#include "models/cpu/Inference.h"
#include "models/cpu/OneDnn.h"
#include "models/cpu/ScaledHeads.h"
#include "models/layers/Products.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace softscope {

namespace {

/// Returns true if attendInBlocks() computes these.
bool canAttendInBlocks(const torch::Tensor& query, const torch::Tensor& key,
                       const torch::Tensor& value) {
  return multipliesByOneDnn() && isInferredOnCpu(query) && isInferredOnCpu(key) &&
         isInferredOnCpu(value);
}

/// Computes softmax(q k^T) v at inference on the CPU. Each thread computes blocks of queries of one
/// head, whose scores stay in its processor's cache.
torch::Tensor attendInBlocks(const torch::Tensor& query, const torch::Tensor& key,
                             const torch::Tensor& value) {
  constexpr std::int64_t queriesPerBlock = 256;
  constexpr std::int64_t queriesPerTask = 32;
  const torch::Tensor queries = query.contiguous().flatten(0, 1);
  const torch::Tensor keys = key.contiguous().flatten(0, 1).transpose(-1, -2);
  const torch::Tensor values = value.contiguous().flatten(0, 1);
  torch::Tensor attended =
      torch::empty({queries.size(0), queries.size(1), values.size(2)}, queries.options());
  const auto attendBlock = [&](std::int64_t head, std::int64_t first, std::int64_t count) {
    // Threads do not inherit the mode in which nothing is kept for gradients.
    const c10::InferenceMode inference;
    const torch::Tensor scores =
        softmaxOfRows(matrixProduct(queries[head].narrow(0, first, count), keys[head]));
    attended[head].narrow(0, first, count).copy_(matrixProduct(scores, values[head]));
  };
  forRunsOfHeads(queries.size(0), queries.size(1), queriesPerTask, queriesPerBlock, attendBlock);
  return attended.view({query.size(0), query.size(1), query.size(2), value.size(3)});
}

/// Returns the number of queries in a strip. Its scores take at most a GiB in two copies; in blocks
/// they take hardly any memory, and a strip is what is computed before a pass can be cancelled.
std::int64_t stripOf(const torch::Tensor& key, bool inBlocks) {
  const std::int64_t mostScores = std::int64_t{1} << (inBlocks ? 26 : 27);
  const std::int64_t mostQueries = inBlocks ? std::int64_t{1} << 16 : 1024;
  return std::clamp<std::int64_t>(mostScores / (key.size(1) * key.size(2)), 16, mostQueries);
}

/// Computes softmax(q k^T) v in strips of queries, so that many tokens do not take n x n memory.
/// May throw Cancelled.
torch::Tensor attendInStrips(const torch::Tensor& query, const torch::Tensor& key,
                             const torch::Tensor& value, const Recorder* recorder) {
  const bool inBlocks = canAttendInBlocks(query, key, value);
  const std::int64_t strip = stripOf(key, inBlocks);
  const torch::Tensor keys = key.transpose(-1, -2);
  std::vector<torch::Tensor> strips;
  for (const torch::Tensor& queries : query.split(strip, 2)) {
    if (recorder != nullptr) recorder->throwIfCancelled();
    strips.push_back(inBlocks ? attendInBlocks(queries, key, value)
                              : matrixProduct(softmaxOfRows(matrixProduct(queries, keys)), value));
  }
  return strips.size() == 1 ? strips.front() : at::cat(strips, 2);
}

/// attendInStrips() with a backward pass that computes the scores of each strip again: automatic
/// differentiation would keep all n x n of every layer until then.
struct RecomputedStrips : torch::autograd::Function<RecomputedStrips> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value) {
    context->save_for_backward({query, key, value});
    return attendInStrips(query, key, value, nullptr);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& query = saved[0];
    const torch::Tensor& key = saved[1];
    const torch::Tensor& value = saved[2];
    torch::Tensor queryGradient = at::empty_like(query);
    torch::Tensor keyGradient = at::zeros_like(key);
    torch::Tensor valueGradient = at::zeros_like(value);
    const std::int64_t strip = stripOf(key, false);
    for (std::int64_t first = 0; first < query.size(2); first += strip) {
      const std::int64_t count = std::min(strip, query.size(2) - first);
      const torch::Tensor queries = query.narrow(2, first, count);
      const torch::Tensor gradient = gradients[0].narrow(2, first, count);
      const torch::Tensor weights = at::matmul(queries, key.transpose(-1, -2)).softmax(-1);
      valueGradient += at::matmul(weights.transpose(-1, -2), gradient);
      const torch::Tensor ofWeights = at::matmul(gradient, value.transpose(-1, -2));
      const torch::Tensor ofScores = weights * (ofWeights - (ofWeights * weights).sum(-1, true));
      queryGradient.narrow(2, first, count).copy_(at::matmul(ofScores, key));
      keyGradient += at::matmul(ofScores.transpose(-1, -2), queries);
    }
    return {queryGradient, keyGradient, valueGradient};
  }
};

/// Scores of a layer and picture up to which a differentiable pass keeps them: 64 MiB in float32.
constexpr std::int64_t mostKeptScores = std::int64_t{1} << 24;

torch::Tensor attendPicture(const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, const Recorder* recorder) {
  const bool isDifferentiable =
      at::GradMode::is_enabled() &&
      (query.requires_grad() || key.requires_grad() || value.requires_grad());
  const bool keeps = query.size(0) * query.size(1) * query.size(2) * key.size(2) <= mostKeptScores;
  return isDifferentiable && !keeps ? RecomputedStrips::apply(query, key, value)
                                    : attendInStrips(query, key, value, recorder);
}

class SoftmaxKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return softmaxAttention(in.query, in.key, in.value, inverseRootOfWidth(in.query), in.layer,
                            in.description, in.recorder);
  }
};

AttentionOperator makeSoftmaxAtOnce(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    const torch::Tensor scaled = query * inverseRootOfWidth(query);
    return matrixProduct(matrixProduct(scaled, key.transpose(-1, -2)).softmax(-1), value);
  };
}

AttentionOperator makeSoftmaxInStrips(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    return softmaxAttention(query, key, value, inverseRootOfWidth(query), {}, {}, nullptr);
  };
}

std::int64_t wholeMatrixNumbers(const CostRequest& request) {
  return std::int64_t{request.tokens} * request.tokens;
}

std::int64_t noNumbers(const CostRequest&) {
  return 0;
}

}  // namespace

torch::Tensor softmaxAttention(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, double scale, const std::string& layer,
                               const AttentionDescription& description, Recorder* recorder) {
  const bool records = recorder != nullptr;
  const ScaledHeads measuredQuery = scaleHeads(query, 1, records);
  const ScaledHeads measuredKey = scaleHeads(key, 1, records);
  if (records) {
    recorder->record(
        AttentionRecord{.layer = layer,
                        .description = description,
                        .map = KernelTensors{KernelTensors::Kernel::Softmax,
                                             measuredQuery.scaled[0], measuredKey.scaled[0], scale},
                        .queryL1 = measuredQuery.l1[0],
                        .keyL1 = measuredKey.l1[0],
                        .value = value[0]});
  }
  // On the CPU, processes one picture at a time, whose products stay in the cache: three times as
  // fast as a whole training batch at once.
  const std::int64_t pictures = query.is_cpu() ? 1 : query.size(0);
  // The gradient of split() joins its parts; the gradient of each slice would be as large as the
  // batch.
  const std::vector<torch::Tensor> queries = (measuredQuery.scaled * scale).split(pictures);
  const std::vector<torch::Tensor> keys = measuredKey.scaled.split(pictures);
  const std::vector<torch::Tensor> values = value.split(pictures);
  std::vector<torch::Tensor> attended;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    attended.push_back(attendPicture(queries[i], keys[i], values[i], recorder));
  }
  return attended.size() == 1 ? attended.front() : at::cat(attended);
}

double inverseRootOfWidth(const torch::Tensor& query) {
  return 1 / std::sqrt(static_cast<double>(query.size(-1)));
}

MechanismImplementation softmaxImplementation() {
  return {.mechanism = &mechanismNamed("softmax"),
          .makeKernel = makePyramidKernel<SoftmaxKernel>,
          .operators = {{"softmax", makeSoftmaxAtOnce, wholeMatrixNumbers},
                        {"softmax_strips", makeSoftmaxInStrips, noNumbers}}};
}

}  // namespace softscope
