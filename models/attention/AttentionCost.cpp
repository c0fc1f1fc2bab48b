#include "models/attention/AttentionCost.h"

#include "core/Error.h"
#include "core/ProcessMemory.h"
#include "core/model/Device.h"
#include "core/model/TorchErrors.h"
#include "models/attention/MechanismImplementation.h"
#include "models/layers/Layers.h"
#include "models/layers/Products.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>

namespace softscope {
namespace {

using torch::Tensor;

constexpr int blocks = 12;
constexpr int expansion = 4;

OperatorImplementation operatorNamed(const std::string& name) {
  for (const MechanismImplementation& implementation : mechanismImplementations()) {
    for (const OperatorImplementation& measured : implementation.operators) {
      if (measured.name == name) return measured;
    }
  }
  throw InspectionError("there is no mechanism \"" + name + "\" to measure");
}

/// One pre-norm block: x += proj(attention(norm1 x)); x += fc2(gelu(fc1(norm2 x))).
struct Block {
  Tensor queryKeyValue;
  Tensor projection;
  Tensor expand;
  Tensor contract;

  explicit Block(std::int64_t channels) {
    const auto weight = [](std::int64_t outputs, std::int64_t inputs) {
      return at::randn({outputs, inputs}) / std::sqrt(double(inputs));
    };
    queryKeyValue = weight(3 * channels, channels);
    projection = weight(channels, channels);
    expand = weight(expansion * channels, channels);
    contract = weight(channels, expansion * channels);
  }

  std::int64_t numbers() const {
    return queryKeyValue.numel() + projection.numel() + expand.numel() + contract.numel();
  }

  Tensor forward(Tensor x, int heads, const AttentionOperator& attend) const {
    const std::int64_t channels = x.size(-1);
    const std::vector<Tensor> parts =
        linearProduct(at::layer_norm(x, {channels}), queryKeyValue).chunk(3, -1);
    const Tensor attended = attend(splitHeads(parts[0], heads), splitHeads(parts[1], heads),
                                   splitHeads(parts[2], heads));
    x = x + linearProduct(joinHeads(attended), projection);
    return x +
           linearProduct(linearProduct(at::layer_norm(x, {channels}), expand, {}, Activation::Gelu),
                         contract);
  }
};

/// What is run, and what it holds before and after.
struct Subject {
  std::function<Tensor()> run;
  std::int64_t numbers = 0;
};

Subject attentionSubject(const CostRequest& request) {
  const std::vector<std::int64_t> shape{1, request.heads, request.tokens, headWidth(request)};
  const Tensor query = at::randn(shape);
  const Tensor key = at::randn(shape);
  const Tensor value = at::randn(shape);
  const OperatorImplementation measured = operatorNamed(request.mechanism);
  const AttentionOperator attend = measured.make(request);
  // Input and output of four tensors, and the factors.
  return {[=] { return attend(query, key, value); },
          4 * query.numel() + request.heads * measured.factorNumbers(request)};
}

Subject vitSubject(const CostRequest& request) {
  const Tensor tokens = at::randn({1, request.tokens, request.channels});
  const OperatorImplementation measured = operatorNamed(request.mechanism);
  const AttentionOperator attend = measured.make(request);
  std::vector<Block> network;
  for (int i = 0; i < blocks; ++i) network.emplace_back(request.channels);
  const std::int64_t numbers = 2 * tokens.numel() + blocks * network.front().numbers() +
                               request.heads * measured.factorNumbers(request);
  return {[=, heads = request.heads] {
            Tensor x = tokens;
            for (const Block& block : network) x = block.forward(x, heads, attend);
            return x;
          },
          numbers};
}

double millisecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// The fastest of as many runs as fit into a third of a second; five at least, and two of those
/// that take a second. Caches are cold before each, as they are in a network whose other layers ran
/// in between: few tokens would otherwise stay in them, and many not.
double fastest(const std::function<Tensor()>& run) {
  constexpr double enough = 350;
  constexpr double slow = 1000;
  constexpr std::int64_t largerThanCaches = 32 << 20;
  Tensor other = at::zeros({largerThanCaches});
  double best = std::numeric_limits<double>::infinity();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < (best > slow ? 2 : 5) || millisecondsSince(start) < enough; ++i) {
    other.fill_(i);
    const auto begin = std::chrono::steady_clock::now();
    const Tensor result = run();
    best = std::min(best, millisecondsSince(begin));
  }
  return best;
}

/// Runs the operator on few tokens, so that what is set up once is there before memory is counted.
void warmUp(CostRequest request) {
  request.tokens = std::min(request.tokens, 64);
  const Subject small =
      request.scope == CostScope::Vit12 ? vitSubject(request) : attentionSubject(request);
  small.run();
}

CostPoint measure(const CostRequest& request) {
  const c10::InferenceMode inference;
  warmUp(request);
  forgetHighWater();
  const std::int64_t before = residentBytes();
  const Subject subject =
      request.scope == CostScope::Vit12 ? vitSubject(request) : attentionSubject(request);
  subject.run();
  CostPoint point{request, 0, 0, 0};
  point.bytes = subject.numbers * static_cast<std::int64_t>(sizeof(float));
  point.peakBytes = std::max<std::int64_t>(0, highWaterBytes() - before - point.bytes);
  // The system's zeroing of new pages is no part of the operator.
  reuseFreedMemory();
  point.milliseconds = fastest(subject.run);
  return point;
}

}  // namespace

CostPoint measureCost(const CostRequest& request) {
  setComputeThreads(request.threads);
  return withReadableErrors("measuring " + request.mechanism, [&] { return measure(request); });
}

}  // namespace softscope
