#include "models/attention/PerformerAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/attention/MechanismImplementation.h"
#include "models/cpu/ExponentialLoops.h"
#include "models/layers/Products.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Returns the number that is added to each exponential.
double leastFeature(std::int64_t count) {
  return 1e-4 / std::sqrt(static_cast<double>(count));
}

/// Returns the largest element of each row, of each whole matrix, or of all heads' matrices, of
/// [B, heads, n, m], and its index in the flattened matrix or matrices: [B, heads, n, 1],
/// [B, heads, 1, 1] or [B, 1, 1, 1] each.
std::pair<torch::Tensor, torch::Tensor> largestElements(const torch::Tensor& x, LargestOver of) {
  const auto [largest, columns] = x.max(-1, true);
  const torch::Tensor places =
      columns + at::arange(x.size(-2), columns.options()).unsqueeze(-1) * x.size(-1);
  if (of == LargestOver::Token) return {largest, places};
  const auto [largestOfAll, rows] = largest.max(-2, true);
  const torch::Tensor placesInHeads = places.gather(-2, rows);
  if (of == LargestOver::Head) return {largestOfAll, placesInHeads};
  const auto [largestOfHeads, heads] = largestOfAll.max(1, true);
  return {largestOfHeads, placesInHeads.gather(1, heads) + heads * (x.size(-2) * x.size(-1))};
}

bool hasLoops(const torch::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == torch::kFloat32 && x.is_contiguous() && x.numel() > 0;
}

/// Calls `compute` for each row of one or more matrices, on all threads.
template <typename Compute>
void forEachRow(const torch::Tensor& x, const Compute& compute) {
  constexpr std::int64_t elementsPerTask = 1 << 15;
  const std::int64_t rows = x.numel() / x.size(-1);
  at::parallel_for(0, rows, elementsPerTask / x.size(-1) + 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t row = begin; row < end; ++row) compute(row);
                   });
}

/// Returns exp(x - shift) + added, where each row has its own shift.
torch::Tensor exponentialsOf(const torch::Tensor& x, const torch::Tensor& shift, double added) {
  if (!hasLoops(x)) return (x - shift).exp_() + added;
  const std::int64_t count = x.size(-1);
  const torch::Tensor shifts = shift.contiguous();
  const torch::Tensor result = torch::empty_like(x);
  forEachRow(x, [from = x.data_ptr<float>(), of = shifts.data_ptr<float>(),
                 to = result.data_ptr<float>(), count, added](std::int64_t row) {
    // The loops may be compiled to assume finite numbers, so they get no others.
    if (std::isfinite(of[row])) {
      raisedExponentials(from + row * count, of[row], static_cast<float>(added), to + row * count,
                         count);
    } else {
      std::fill_n(to + row * count, count, std::numeric_limits<float>::quiet_NaN());
    }
  });
  return result;
}

/// Returns the gradient of x, and its sum in each row.
std::pair<torch::Tensor, torch::Tensor> gradientsOf(const torch::Tensor& exponentials, double added,
                                                    const torch::Tensor& gradient) {
  if (!hasLoops(exponentials) || !hasLoops(gradient)) {
    const torch::Tensor result = (exponentials - added).mul_(gradient);
    return {result, result.sum(-1, true)};
  }
  const std::int64_t count = exponentials.size(-1);
  const torch::Tensor result = torch::empty_like(exponentials);
  std::vector<std::int64_t> shape = exponentials.sizes().vec();
  shape.back() = 1;
  const torch::Tensor sums = torch::empty(shape, exponentials.options());
  forEachRow(exponentials, [from = exponentials.data_ptr<float>(), by = gradient.data_ptr<float>(),
                            to = result.data_ptr<float>(), of = sums.data_ptr<float>(), count,
                            added](std::int64_t row) {
    of[row] = raisedExponentialGradients(from + row * count, static_cast<float>(added),
                                         by + row * count, to + row * count, count);
  });
  return {result, sums};
}

struct StableExponential : torch::autograd::Function<StableExponential> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& products, const torch::Tensor& halfNorms,
                               LargestOver of) {
    const std::int64_t count = products.size(-1);
    const auto [largest, places] = largestElements(products, of);
    // 1 / sqrt(m) is part of the exponent, which saves a pass over the features.
    const torch::Tensor shift = halfNorms + (largest + std::log(static_cast<double>(count)) / 2);
    const torch::Tensor result = exponentialsOf(products, shift, leastFeature(count));
    context->save_for_backward({result, places});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &result = saved[0], &places = saved[1];
    const auto [gradient, sums] = gradientsOf(result, leastFeature(result.size(-1)), gradients[0]);
    const torch::Tensor ofRows = sums.neg();
    if (places.size(1) < result.size(1)) {
      gradient.flatten(1).scatter_add_(-1, places.flatten(1), ofRows.sum({1, 2}, true).flatten(1));
      return {gradient, ofRows, {}};
    }
    const torch::Tensor ofLargest = places.size(-2) == 1 ? ofRows.sum(-2, true) : ofRows;
    gradient.flatten(-2).scatter_add_(-1, places.flatten(-2), ofLargest.flatten(-2));
    return {gradient, ofRows, {}};
  }
};

/// Returns Performer's features of projected tokens: (exp(products - halfNorms - largest product) +
/// 1e-4) / sqrt(m), for products [B, heads, n, m] and halfNorms [B, heads, n, 1]. Apart from the
/// result, its gradient needs no tensor of this size.
torch::Tensor stableExponential(const torch::Tensor& products, const torch::Tensor& halfNorms,
                                LargestOver of) {
  return StableExponential::apply(products, halfNorms, of);
}

/// Returns phi(x) of [B, heads, n, d], with the largest exponent subtracted: [B, heads, n, m].
torch::Tensor positiveFeatures(const torch::Tensor& x, const torch::Tensor& projection,
                               LargestOver of) {
  const torch::Tensor scaled = x / std::sqrt(std::sqrt(static_cast<double>(x.size(-1))));
  const torch::Tensor products = matrixProduct(scaled, projection.transpose(0, 1));
  return stableExponential(products, scaled.square().sum(-1, true) / 2, of);
}

/// FAVOR+ with floor(d ln d) random features in the buffer `projection` [m, d], which is drawn once
/// and not trained.
class PerformerKernel final : public PyramidKernel {
 public:
  explicit PerformerKernel(const PyramidAttentionOptions& options) : PyramidKernel(options) {
    randomFeatures_ = register_buffer(
        "projection", torch::empty({options.features, options.channels / options.heads}));
  }

  torch::Tensor attend(Input in) override {
    return performerAttention(in.query, in.key, in.value, randomFeatures_, in.layer, in.description,
                              in.recorder);
  }

 private:
  torch::Tensor randomFeatures_;
};

/// Draws Performer's random features, which training never changes; the same ones in every call.
void drawRandomFeatures(const std::vector<PyramidStage>&, torch::nn::Module& network) {
  const torch::NoGradGuard noGradient;
  at::Generator generator = at::detail::createCPUGenerator();
  for (const auto& buffer : network.named_buffers()) {
    if (!buffer.key().ends_with(".attn.projection")) continue;
    torch::Tensor projection = buffer.value();
    projection.copy_(orthogonalRandomFeatures(static_cast<int>(projection.size(0)),
                                              static_cast<int>(projection.size(1)), generator));
  }
}

AttentionOperator makePerformerOperator(const CostRequest& request) {
  const auto width = static_cast<int>(headWidth(request));
  const torch::Tensor features = orthogonalRandomFeatures(performerFeatures(width), width,
                                                          at::detail::getDefaultCPUGenerator())
                                     .to(torch::Device(request.device));
  return
      [features](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
        return performerAttention(query, key, value, features, {}, {}, nullptr);
      };
}

std::int64_t performerNumbers(const CostRequest& request) {
  const int features = performerFeatures(static_cast<int>(headWidth(request)));
  return 2 * std::int64_t{request.tokens} * features;
}

}  // namespace

torch::Tensor performerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& projection,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder, LargestOver ofKeys) {
  const torch::Tensor left = positiveFeatures(query, projection, LargestOver::Token);
  const torch::Tensor right = positiveFeatures(key, projection, ofKeys);
  description.mechanism = "performer";
  return attendWithFactors({left, right, query, key, sumsAnd(0)}, value, layer, description,
                           recorder);
}

int performerFeatures(int width) {
  return std::max(1, static_cast<int>(width * std::log(static_cast<double>(width))));
}

torch::Tensor orthogonalRandomFeatures(int features, int width, at::Generator generator) {
  std::vector<torch::Tensor> blocks;
  for (int first = 0; first < features; first += width) {
    const torch::Tensor orthogonal =
        std::get<0>(at::linalg_qr(at::randn({width, width}, generator)));
    blocks.push_back(orthogonal.slice(0, 0, std::min(width, features - first)));
  }
  const torch::Tensor lengths = at::randn({features, width}, generator).norm(2, {1}, true);
  return at::cat(blocks) * lengths;
}

MechanismImplementation performerImplementation() {
  return {.mechanism = &mechanismNamed("performer"),
          .makeKernel = makePyramidKernel<PerformerKernel>,
          .ownParameter = "projection",
          .fill = drawRandomFeatures,
          .operators = {{"performer", makePerformerOperator, performerNumbers}}};
}

}  // namespace softscope
