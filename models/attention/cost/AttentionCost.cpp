#include "models/attention/cost/AttentionCost.h"

#include "core/Error.h"
#include "core/Quantile.h"
#include "core/machine/OtherWork.h"
#include "core/machine/ProcessMemory.h"
#include "core/network/Device.h"
#include "core/tensor/TorchErrors.h"
#include "models/attention/MechanismImplementation.h"
#include "models/attention/cost/AllocationMeter.h"
#include "models/layers/Layers.h"
#include "models/layers/Products.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using torch::Tensor;

constexpr int expansion = 4;

OperatorImplementation operatorNamed(const std::string& name) {
  for (const MechanismImplementation& implementation : mechanismImplementations()) {
    for (const OperatorImplementation& measured : implementation.operators) {
      if (measured.name == name) return measured;
    }
  }
  throw InspectionError("there is no mechanism \"" + name + "\" to measure");
}

std::int64_t numbersOf(const std::vector<Tensor>& tensors) {
  std::int64_t numbers = 0;
  for (const Tensor& tensor : tensors) numbers += tensor.numel();
  return numbers;
}

/// One pre-norm block: x += proj(attention(norm1 x)); x += fc2(gelu(fc1(norm2 x))).
struct Block {
  Tensor queryKeyValue;
  Tensor projection;
  Tensor expand;
  Tensor contract;

  Block(std::int64_t channels, const torch::TensorOptions& options) {
    const auto weight = [&](std::int64_t outputs, std::int64_t inputs) {
      return at::randn({outputs, inputs}, options) / std::sqrt(double(inputs));
    };
    queryKeyValue = weight(3 * channels, channels);
    projection = weight(channels, channels);
    expand = weight(expansion * channels, channels);
    contract = weight(channels, expansion * channels);
  }

  std::vector<Tensor> parameters() const { return {queryKeyValue, projection, expand, contract}; }

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

/// The computation that is measured, and the memory it holds before and after.
struct Subject {
  std::function<Tensor()> forward;
  /// Tensors for which a backward pass computes gradients.
  std::vector<Tensor> learnt;
  std::int64_t numbers = 0;
};

Subject attentionSubject(const CostRequest& request) {
  const std::vector<std::int64_t> shape{1, request.heads, request.tokens, headWidth(request)};
  const Tensor query = at::randn(shape, costOptions(request));
  const Tensor key = at::randn(shape, costOptions(request));
  const Tensor value = at::randn(shape, costOptions(request));
  const OperatorImplementation measured = operatorNamed(request.mechanism);
  const AttentionOperator attend = measured.make(request);
  // The input and output are four tensors, in addition to the factors.
  return {[=] { return attend(query, key, value); },
          {query, key, value},
          4 * query.numel() + request.heads * measured.factorNumbers(request)};
}

Subject vitSubject(const CostRequest& request) {
  const Tensor tokens = at::randn({1, request.tokens, request.channels}, costOptions(request));
  const OperatorImplementation measured = operatorNamed(request.mechanism);
  const AttentionOperator attend = measured.make(request);
  std::vector<Block> network;
  std::vector<Tensor> parameters;
  for (int i = 0; i < costBlocks; ++i) {
    network.emplace_back(request.channels, costOptions(request));
    for (const Tensor& parameter : network.back().parameters()) parameters.push_back(parameter);
  }
  const std::int64_t numbers =
      2 * tokens.numel() + numbersOf(parameters) + request.heads * measured.factorNumbers(request);
  return {[=, heads = request.heads] {
            Tensor x = tokens;
            for (const Block& block : network) x = block.forward(x, heads, attend);
            return x;
          },
          parameters, numbers};
}

Subject subjectOf(const CostRequest& request) {
  Subject subject =
      request.scope == CostScope::Vit12 ? vitSubject(request) : attentionSubject(request);
  if (request.pass == CostPass::Forward) return subject;
  for (Tensor& tensor : subject.learnt) tensor.requires_grad_();
  // Gradients of what is learnt, and of the output, which is as large as the query.
  subject.numbers += numbersOf(subject.learnt) + std::int64_t{request.tokens} * request.channels;
  return subject;
}

/// Runs the requested pass, after discarding the gradients of the previous one.
Tensor runPass(const Subject& subject, CostPass pass) {
  if (pass == CostPass::Forward) return subject.forward();
  for (const Tensor& tensor : subject.learnt) tensor.mutable_grad() = Tensor();
  const Tensor output = subject.forward();
  output.backward(at::ones_like(output));
  return output;
}

/// Waits for devices other than the CPU, which work asynchronously.
void finishWork(const CostRequest& request) {
  if (request.device != "cpu") torch::cuda::synchronize(torch::Device(request.device).index());
}

double millisecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// Returns run times in ascending order: as many as fit into a third of a second, but at least
/// nine, or three if a run takes a second. Caches are cold before each run, as in a network whose
/// other layers ran in between; otherwise few tokens would stay in them, and many would not.
std::vector<double> timesOf(const Subject& subject, const CostRequest& request) {
  constexpr double enough = 350;
  constexpr double slow = 1000;
  constexpr std::size_t least = 9;
  constexpr std::size_t leastOfSlow = 3;
  constexpr std::int64_t largerThanCaches = 32 << 20;
  Tensor other = at::zeros({largerThanCaches}, costOptions(request));
  std::vector<double> times;
  const auto start = std::chrono::steady_clock::now();
  const auto fastest = [&times] { return *std::min_element(times.begin(), times.end()); };
  while (times.size() < leastOfSlow || (times.size() < least && fastest() <= slow) ||
         millisecondsSince(start) < enough) {
    other.fill_(static_cast<double>(times.size()));
    finishWork(request);
    const auto begin = std::chrono::steady_clock::now();
    const Tensor result = runPass(subject, request.pass);
    finishWork(request);
    times.push_back(millisecondsSince(begin));
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// Runs the pass on a few tokens, so that one-time initialisation is done before memory is counted.
void warmUp(CostRequest request) {
  request.tokens = std::min(request.tokens, 64);
  runPass(subjectOf(request), request.pass);
  finishWork(request);
}

/// Creates a subject and runs it once. Returns it and the peak memory in the meantime: of the
/// process on the CPU, of allocations on other devices.
std::pair<Subject, std::int64_t> firstRun(const CostRequest& request) {
  if (request.device != "cpu") {
    const AllocationMeter meter(torch::Device(request.device).type());
    Subject subject = subjectOf(request);
    runPass(subject, request.pass);
    finishWork(request);
    return {std::move(subject), meter.peakBytes()};
  }
  forgetHighWater();
  const std::int64_t before = residentBytes();
  Subject subject = subjectOf(request);
  runPass(subject, request.pass);
  return {std::move(subject), highWaterBytes() - before};
}

CostPoint measure(const CostRequest& request) {
  const c10::InferenceMode inference(request.pass == CostPass::Forward);
  warmUp(request);
  const auto [subject, held] = firstRun(request);
  CostPoint point{request};
  point.bytes = subject.numbers * static_cast<std::int64_t>(sizeof(float));
  point.peakBytes = std::max<std::int64_t>(0, held - point.bytes);
  // The time in which the system zeroes new pages does not belong to the operator.
  reuseFreedMemory();
  const OtherWork others;
  const std::vector<double> times = timesOf(subject, request);
  point.coresLost = others.coresLost(at::get_num_threads());
  point.milliseconds = times.front();
  point.median = quantileOfSorted(times, 0.5);
  point.quartile1 = quantileOfSorted(times, 0.25);
  point.quartile3 = quantileOfSorted(times, 0.75);
  point.runs = static_cast<int>(times.size());
  return point;
}

}  // namespace

CostPoint measureCost(const CostRequest& request) {
  setComputeThreads(request.threads);
  CostRequest resolved = request;
  resolved.device = resolveDevice(request.device);
  return withReadableErrors("measuring " + request.mechanism, [&] { return measure(resolved); });
}

}  // namespace softscope
