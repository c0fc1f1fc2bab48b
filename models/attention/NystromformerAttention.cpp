#include "models/attention/NystromformerAttention.h"

#include "models/attention/MechanismImplementation.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadMaps.h"
#include "models/layers/Products.h"

#include <tuple>
#include <utility>

namespace softscope {

namespace {

/// Pools landmarks by two-dimensional averages, unless others are chosen.
class NystromformerKernel final : public PyramidKernel {
 public:
  using PyramidKernel::PyramidKernel;

  torch::Tensor attend(Input in) override {
    const int ratio = options().ratio;
    const auto chosen = chosenLandmarks(options().landmarks, in.grid, ratio, in.layer);
    if (chosen) {
      describeLandmarks(in.description, *chosen);
    } else {
      describeLandmarks(in.description, ratio);
    }
    const auto landmarks = [&](const torch::Tensor& tokens) {
      return chosen ? landmarkMeans(tokens, *chosen) : poolHeads(tokens, in.grid, ratio);
    };
    return nystromformerAttention({.query = in.query,
                                   .key = in.key,
                                   .value = in.value,
                                   .queryLandmarks = landmarks(in.query),
                                   .keyLandmarks = landmarks(in.key),
                                   .scale = inverseRootOfWidth(in.query)},
                                  in.layer, in.description, in.recorder);
  }
};

AttentionOperator makeNystromformerOperator(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    return nystromformerAttention({.query = query,
                                   .key = key,
                                   .value = value,
                                   .queryLandmarks = meansOfRuns(query, costLandmarks),
                                   .keyLandmarks = meansOfRuns(key, costLandmarks),
                                   .scale = inverseRootOfWidth(query)},
                                  {}, {}, nullptr);
  };
}

std::int64_t nystromformerNumbers(const CostRequest& request) {
  constexpr std::int64_t m = costLandmarks;
  return 2 * request.tokens * m + 2 * m * m;
}

/// Computes the bottleneck of the first picture in float64. Queries and keys are the network's own,
/// so the landmarks are only as exact as these.
PreciseTensors preciseNystromformer(const NystromformerInput& input) {
  const auto inDouble = [](const torch::Tensor& tensor) { return tensor[0].to(torch::kFloat64); };
  const auto weights = [&](const torch::Tensor& query, const torch::Tensor& key) {
    return at::matmul(query * input.scale, key.transpose(-1, -2)).softmax(-1);
  };
  const auto triangular = [](const torch::Tensor& factor) {
    return std::get<1>(at::linalg_qr(factor, "r"));
  };
  const torch::Tensor queries = inDouble(input.queryLandmarks);
  const torch::Tensor keys = inDouble(input.keyLandmarks);
  return {weights(queries, keys), triangular(weights(inDouble(input.query), keys)),
          triangular(weights(queries, inDouble(input.key)).transpose(-1, -2))};
}

}  // namespace

torch::Tensor meansOfRuns(const torch::Tensor& tokens, std::int64_t landmarks) {
  const std::int64_t length = tokens.size(2) / landmarks;
  const std::int64_t longer = tokens.size(2) % landmarks;
  const std::int64_t shorter = landmarks - longer;
  const auto means = [&](std::int64_t begin, std::int64_t count, std::int64_t run) {
    return tokens.slice(2, begin, begin + count * run)
        .reshape({tokens.size(0), tokens.size(1), count, run, tokens.size(3)})
        .mean(3);
  };
  if (longer == 0) return means(0, landmarks, length);
  return at::cat({means(0, shorter, length), means(shorter * length, longer, length + 1)}, 2);
}

torch::Tensor iterateTowardsInverse(const torch::Tensor& kernel, const torch::Tensor& start,
                                    int steps) {
  const torch::Tensor identity = at::eye(kernel.size(-1), kernel.options());
  torch::Tensor inverse = start;
  for (int step = 0; step < steps; ++step) {
    const torch::Tensor product = matrixProduct(kernel, inverse);
    const torch::Tensor inner = 15 * identity - matrixProduct(product, 7 * identity - product);
    inverse = matrixProduct(0.25 * inverse, 13 * identity - matrixProduct(product, inner));
  }
  return inverse;
}

torch::Tensor invertNystromformer(const torch::Tensor& kernel, NystromformerStart start) {
  constexpr int steps = 6;
  const torch::Tensor columnSums = kernel.sum(-2, true);
  const torch::Tensor largest = start == NystromformerStart::Original
                                    ? columnSums.amax({1, -1}, true)
                                    : columnSums.amax({-1}, true);
  return iterateTowardsInverse(kernel, kernel.transpose(-1, -2) / largest, steps);
}

torch::Tensor nystromformerAttention(const NystromformerInput& input, const std::string& layer,
                                     const AttentionDescription& description, Recorder* recorder) {
  const torch::Tensor queryLandmarks = input.queryLandmarks * input.scale;
  const torch::Tensor landmarkRows = input.keyLandmarks.transpose(-1, -2);
  const torch::Tensor toLandmarks =
      softmaxOfRows(matrixProduct(input.query * input.scale, landmarkRows));  // K1
  const torch::Tensor bottleneck = matrixProduct(queryLandmarks, landmarkRows).softmax(-1);
  const torch::Tensor fromLandmarks =
      softmaxOfRows(matrixProduct(queryLandmarks, input.key.transpose(-1, -2)));  // K3
  const torch::Tensor inverse = invertNystromformer(bottleneck, input.start);
  if (recorder != nullptr) {
    AttentionRecord record{
        .layer = layer,
        .description = description,
        .map = FactorTensors{toLandmarks[0], inverse[0], fromLandmarks[0].transpose(-1, -2)},
        .queryL1 = input.query[0].abs().sum(-1),
        .keyL1 = input.key[0].abs().sum(-1),
        .bottleneck = bottleneck[0],
        .bottleneckInverse = inverse[0],
        .value = input.value[0]};
    record.exactKernel =
        KernelTensors{KernelTensors::Kernel::Softmax, input.query[0], input.key[0], input.scale};
    record.description.mechanism = "nystromformer";
    record.description.landmarks = static_cast<int>(bottleneck.size(-1));
    if (recorder->wantsPrecision()) record.precise = preciseNystromformer(input);
    recorder->record(std::move(record));
  }
  return matrixProduct(toLandmarks,
                       matrixProduct(inverse, matrixProduct(fromLandmarks, input.value)));
}

MechanismImplementation nystromformerImplementation() {
  return {.mechanism = &mechanismNamed("nystromformer"),
          .makeKernel = makePyramidKernel<NystromformerKernel>,
          .operators = {{"nystromformer", makeNystromformerOperator, nystromformerNumbers}}};
}

}  // namespace softscope
