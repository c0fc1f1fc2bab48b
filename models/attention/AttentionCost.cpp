#include "models/attention/AttentionCost.h"

#include "core/ProcessMemory.h"
#include "core/model/Device.h"
#include "core/model/TorchErrors.h"
#include "models/attention/CosformerAttention.h"
#include "models/attention/EfficientAttention.h"
#include "models/attention/EluAttention.h"
#include "models/attention/GaussianKernel.h"
#include "models/attention/LinformerAttention.h"
#include "models/attention/NonLocalAttention.h"
#include "models/attention/NystromformerAttention.h"
#include "models/attention/PerformerAttention.h"
#include "models/attention/SimaAttention.h"
#include "models/attention/SoftInverse.h"
#include "models/attention/SoftmaxAttention.h"
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
constexpr int landmarksAside = 7;
static_assert(landmarksAside * landmarksAside == costLandmarks);

/// Query, key and value [1, heads, n, d] -> [1, heads, n, d].
using Operator = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>;

/// The most square grid of `tokens`.
TokenGrid gridOf(int tokens) {
  int height = static_cast<int>(std::sqrt(static_cast<double>(tokens)));
  while (tokens % height != 0) --height;
  return {height, tokens / height};
}

Tensor softmaxAtOnce(const Tensor& query, const Tensor& key, const Tensor& value) {
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(-1)));
  return matrixProduct(matrixProduct(query * scale, key.transpose(-1, -2)).softmax(-1), value);
}

/// SOFT through m landmarks made as the released code makes them, by a convolution with stride, a
/// LayerNorm and a GELU; its windows are runs of tokens, so that m is the same for every n.
Operator softOperator(const CostRequest& request, bool normalised) {
  const std::int64_t width = request.channels / request.heads;
  const std::int64_t window = request.tokens / costLandmarks * width;
  const Tensor filters = at::randn({window, width}) / std::sqrt(double(window));
  return [=](const Tensor& query, const Tensor&, const Tensor& value) {
    const Tensor scaled = query / std::sqrt(std::sqrt(static_cast<double>(width)));
    const Tensor windows = scaled.slice(2, 0, costLandmarks * window / width)
                               .reshape({1, query.size(1), costLandmarks, window});
    const Tensor pooled = matrixProduct(windows, filters);
    const Tensor landmarks = at::gelu(at::layer_norm(pooled, {width}));
    const Tensor toLandmarks = gaussianKernel(scaled, landmarks);
    const Tensor bottleneck = gaussianKernel(landmarks, landmarks);
    const Tensor middle = normalised ? normaliseInverse(invertSoftNorm(bottleneck), bottleneck)
                                     : invertSoft(bottleneck);
    const Tensor gathered = matrixProduct(toLandmarks.transpose(-1, -2), value);
    return matrixProduct(toLandmarks, matrixProduct(middle, gathered));
  };
}

Operator nystromformerOperator() {
  return [](const Tensor& query, const Tensor& key, const Tensor& value) {
    return nystromformerAttention({.query = query,
                                   .key = key,
                                   .value = value,
                                   .queryLandmarks = meansOfRuns(query, costLandmarks),
                                   .keyLandmarks = meansOfRuns(key, costLandmarks),
                                   .scale = 1 / std::sqrt(static_cast<double>(query.size(-1)))},
                                  {}, {}, nullptr);
  };
}

Operator operatorOf(const CostRequest& request) {
  const std::string& name = request.mechanism;
  const int width = request.channels / request.heads;
  if (name == "softmax") return softmaxAtOnce;
  if (name == "soft" || name == "soft++") return softOperator(request, name == "soft++");
  if (name == "nystromformer") return nystromformerOperator();
  if (name == "sima" || name == "sima_quadratic") {
    const SimaOrder order = name == "sima" ? SimaOrder::Linear : SimaOrder::Quadratic;
    return [order](const Tensor& q, const Tensor& k, const Tensor& v) {
      return simaAttention(q, k, v, simaEpsilon, {}, {}, nullptr, order);
    };
  }
  if (name == "softmax_strips") {
    return [](const Tensor& q, const Tensor& k, const Tensor& v) {
      return softmaxAttention(q, k, v, 1 / std::sqrt(static_cast<double>(q.size(-1))), {}, {},
                              nullptr);
    };
  }
  if (name == "linformer") {
    const Tensor shortening = at::randn({request.heads, costLandmarks, request.tokens}) /
                              std::sqrt(static_cast<double>(request.tokens));
    return [shortening](const Tensor& q, const Tensor& k, const Tensor& v) {
      return linformerAttention(q, k, v, shortening, {}, {}, nullptr);
    };
  }
  if (name == "performer") {
    const Tensor features = orthogonalRandomFeatures(performerFeatures(width), width,
                                                     at::detail::getDefaultCPUGenerator());
    return [features](const Tensor& q, const Tensor& k, const Tensor& v) {
      return performerAttention(q, k, v, features, {}, {}, nullptr);
    };
  }
  if (name == "elu") {
    return [](const Tensor& q, const Tensor& k, const Tensor& v) {
      return eluAttention(q, k, v, {}, {}, nullptr);
    };
  }
  if (name == "efficient") {
    return [](const Tensor& q, const Tensor& k, const Tensor& v) {
      return efficientAttention(q, k, v, {}, {}, nullptr);
    };
  }
  if (name == "cosformer") {
    return [grid = gridOf(request.tokens)](const Tensor& q, const Tensor& k, const Tensor& v) {
      return cosformerAttention(q, k, v, grid, {}, {}, nullptr);
    };
  }
  if (name == "nonlocal_scaled") {
    const NonLocalMechanism mechanism = *nonLocalMechanism(name);
    return [mechanism](const Tensor& q, const Tensor& k, const Tensor& v) {
      return nonLocalAttention(q, k, v, mechanism, 1, {}, {}, nullptr);
    };
  }
  throw InspectionError("there is no mechanism \"" + name + "\" to measure");
}

/// Numbers in the matrices whose product the operator's attention is, of one head.
std::int64_t factorNumbers(const CostRequest& request) {
  const std::string& name = request.mechanism;
  const std::int64_t n = request.tokens;
  const std::int64_t d = request.channels / request.heads;
  constexpr std::int64_t m = costLandmarks;
  if (name == "softmax") return n * n;
  if (name == "softmax_strips") return 0;
  if (name == "sima_quadratic") return n * n + 2 * n * d;
  if (name == "soft" || name == "soft++") return n * m + 2 * m * m;
  if (name == "nystromformer") return 2 * n * m + 2 * m * m;
  if (name == "linformer") return 2 * n * m + 2 * m * d;
  if (name == "performer") return 2 * n * performerFeatures(static_cast<int>(d));
  if (name == "cosformer") return 2 * n * 4 * d;
  if (name == "nonlocal_scaled") return n * d;
  return 2 * n * d;
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

  Tensor forward(Tensor x, int heads, const Operator& attend) const {
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
  const std::int64_t width = request.channels / request.heads;
  const std::vector<std::int64_t> shape{1, request.heads, request.tokens, width};
  const Tensor query = at::randn(shape);
  const Tensor key = at::randn(shape);
  const Tensor value = at::randn(shape);
  const Operator attend = operatorOf(request);
  // Input and output of four tensors, and the factors.
  return {[=] { return attend(query, key, value); },
          4 * query.numel() + request.heads * factorNumbers(request)};
}

Subject vitSubject(const CostRequest& request) {
  const Tensor tokens = at::randn({1, request.tokens, request.channels});
  const Operator attend = operatorOf(request);
  std::vector<Block> network;
  for (int i = 0; i < blocks; ++i) network.emplace_back(request.channels);
  const std::int64_t numbers = 2 * tokens.numel() + blocks * network.front().numbers() +
                               request.heads * factorNumbers(request);
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
