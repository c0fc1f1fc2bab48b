#include "core/network/ClassMapPass.h"

#include "core/Error.h"
#include "core/analysis/GridSampling.h"
#include "core/analysis/TokenFlow.h"
#include "core/attention/Mechanism.h"
#include "core/network/AttentionGradient.h"
#include "core/network/GradientRun.h"
#include "core/network/Network.h"
#include "core/text/Words.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace softscope {

namespace {

Eigen::VectorXd sumOfMagnitudes(const torch::Tensor& gradient) {
  const torch::Tensor host =
      gradient.abs().sum(at::IntArrayRef({0, 2})).to(torch::kCPU, torch::kFloat64).contiguous();
  return Eigen::Map<const Eigen::VectorXd>(host.data_ptr<double>(), host.numel());
}

/// Returns equal weights, which sum to one, on the tokens of a layer that the answer depends on,
/// given how much it does for each.
TokenFlow startOf(const GradientRecorder::Layer& layer, const Eigen::VectorXd& reached) {
  const AttentionDescription& attention = layer.record.description;
  Eigen::VectorXd weights = (reached.array() != 0).cast<double>();
  weights /= weights.sum();
  if (!attention.queryGrid) {
    requireKeyGrid(layer.record.layer, attention);
    const TokenGrid& grid = *attention.keyGrid;
    return {weights, Eigen::VectorXd::Zero(grid.count()), grid};
  }
  const auto single = static_cast<int>(weights.size()) - attention.queryGrid->count();
  const int suffix = attention.suffixTokens;
  return splitTokens(weights, single - suffix, *attention.queryGrid, suffix);
}

/// The way of the answer's row from the last layer to the first.
class ClassWalk {
 public:
  ClassWalk(AttentionEntries entries, const Progress& progress)
      : entries_(entries), progress_(progress) {}

  void pass(const GradientRecorder::Layer& layer, const torch::Tensor& gradient) {
    const AttentionDescription& attention = layer.record.description;
    if (traitsOf(attention.mechanism).overChannels) {
      ++passed_;
      return;
    }
    layer.requireAttended();
    if (!gradient.defined()) return;
    const Eigen::VectorXd reached = sumOfMagnitudes(gradient);
    if (reached.isZero(0)) return;
    if (!flow_) flow_.emplace(startOf(layer, reached));
    ++layers_;
    const auto queries = static_cast<int>(gradient.size(1));
    flow_->pass(layer.record.layer, attention, queries, [&](const Eigen::VectorXd& weights) {
      return weightedEntries(layer.record, gradient, weights, entries_, progress_);
    });
  }

  ClassMap result() const {
    if (!flow_) throw InspectionError("the answer does not depend on any attention");
    const TokenFlow gained = flow_->gained();
    ClassMap map{.method = ClassMethod::GradientRollout, .grid = gained.grid};
    map.patches = gained.patches.cast<float>();
    map.note = countedText(layers_, "layer");
    if (passed_ > 0) map.note += ", " + std::to_string(passed_) + " between channels passed by";
    return map;
  }

 private:
  AttentionEntries entries_;
  const Progress& progress_;
  std::optional<GradientFlow> flow_;
  int layers_ = 0;
  int passed_ = 0;
};

/// The share of the time after which integrated gradients begin; they take nearly all of it.
constexpr double shareBeforePoints = 0.1;

/// Returns tokens [1, n, C] or a map [1, C, H, W] as [n, C].
torch::Tensor tokenRows(const torch::Tensor& tokens) {
  return tokens.dim() == 4 ? tokens[0].flatten(1).t() : tokens[0];
}

torch::Tensor inDoubleOnHost(const torch::Tensor& x) {
  return x.detach().to(torch::kCPU, torch::kFloat64).contiguous();
}

Vector patchValuesOf(const torch::Tensor& x) {
  const torch::Tensor host = inDoubleOnHost(x);
  return Eigen::Map<const Eigen::VectorXd>(host.data_ptr<double>(), host.numel()).cast<float>();
}

bool isZero(const torch::Tensor& x) {
  return !x.defined() || x.count_nonzero().item<std::int64_t>() == 0;
}

bool isOverChannels(const AttentionDescription& attention) {
  return traitsOf(attention.mechanism).overChannels;
}

}  // namespace

ClassMap rollOutClass(const std::vector<GradientRecorder::Layer>& layers,
                      const std::vector<torch::Tensor>& gradients, AttentionEntries entries,
                      const Progress& progress) {
  ClassWalk walk(entries, progress);
  for (std::size_t i = layers.size(); i > 0; --i) {
    progress.report(1 - static_cast<double>(i) / static_cast<double>(layers.size()),
                    shortLayerName(layers[i - 1].record.layer));
    walk.pass(layers[i - 1], gradients[i - 1]);
  }
  return walk.result();
}

ClassMapPass::ClassMapPass(Network& network, const torch::Tensor& picture, const Progress& progress)
    : network_(network), progress_(progress), recorder_(progress) {
  const at::AutoGradMode differentiable(true);
  picture_ = picture.detach().clone().requires_grad_();
  logits_ = network.forward(picture_, &recorder_);
  if (!logits_.defined()) {
    throw InspectionError("the network has no head, so that there is no class to speak for");
  }
}

torch::Tensor ClassMapPass::logits() const {
  return inDoubleOnHost(logits_[0]);
}

void ClassMapPass::differentiate(int classIndex) {
  const at::AutoGradMode differentiable(true);
  classIndex_ = classIndex;
  std::vector<torch::Tensor> inputs;
  for (const auto& layer : recorder_.layers()) inputs.push_back(layer.attended);
  for (const auto& block : recorder_.blocks()) inputs.push_back(block.tokens);
  const std::vector<torch::Tensor> gradients = gradientsOf(logits_[0][classIndex], inputs);
  const auto layers = static_cast<std::ptrdiff_t>(recorder_.layers().size());
  layerGradients_.clear();
  for (std::ptrdiff_t i = 0; i < layers; ++i) {
    const torch::Tensor& gradient = gradients[static_cast<std::size_t>(i)];
    layerGradients_.push_back(gradient.defined() ? gradient[0] : gradient);
  }
  blockGradients_.assign(gradients.begin() + layers, gradients.end());
}

ClassMap ClassMapPass::gradientRollout(AttentionEntries entries) const {
  return rollOutClass(recorder_.layers(), layerGradients_, entries,
                      progress_.part(0, shareBeforePoints));
}

torch::Tensor ClassMapPass::earlyGradient(const GradientRecorder::Layer& layer) const {
  auto* network = dynamic_cast<EarlyAnswerNetwork*>(&network_);
  if (network == nullptr) {
    throw InspectionError(
        "LeGrad reads the class off the tokens behind every block, which this network's head "
        "cannot");
  }
  const auto block = std::find_if(recorder_.blocks().begin(), recorder_.blocks().end(),
                                  [&](const auto& of) { return of.layer == layer.record.layer; });
  if (block == recorder_.blocks().end()) return {};
  if (block->tokens.sizes() != recorder_.blocks().back().tokens.sizes()) {
    throw InspectionError(
        "LeGrad reads the class off the tokens behind every block, and those behind " +
        layer.record.layer + " are not of the kind that this network's head reads");
  }
  const torch::Tensor logits = network->answerEarly(block->tokens, block->grid);
  const torch::Tensor gradient = gradientsOf(logits[0][classIndex_], {layer.attended})[0];
  return gradient.defined() ? gradient[0] : gradient;
}

ClassMap ClassMapPass::leGrad(AttentionEntries entries) const {
  const at::AutoGradMode differentiable(true);
  ClassMap map{.method = ClassMethod::LeGrad};
  Eigen::VectorXd sum;
  int layers = 0;
  for (const auto& layer : recorder_.layers()) {
    progress_.throwIfCancelled();
    const std::optional<TokenGrid>& grid = layer.record.description.keyGrid;
    const torch::Tensor gradient = earlyGradient(layer);
    if (!grid) continue;
    layer.requireAttended();
    if (!gradient.defined()) continue;
    const Eigen::VectorXd keys = meanGradientEntries(layer.record, gradient, entries, progress_);
    const int prefix = layer.record.description.prefixTokens;
    const Eigen::VectorXd patches = keys.segment(prefix, grid->count());
    if (layers > 0 && !(map.grid == *grid)) {
      throw InspectionError("the grids of the network's layers differ, so that they have no mean");
    }
    map.grid = *grid;
    sum = layers == 0 ? patches : Eigen::VectorXd(sum + patches);
    ++layers;
  }
  if (layers == 0) throw InspectionError("no layer of the network attends to patches");
  map.patches = (sum / layers).cast<float>();
  map.note = "mean of " + countedText(layers, "layer");
  return map;
}

std::vector<ClassMapPass::BlockGradient> ClassMapPass::blockGradients(
    const std::string& layer) const {
  const auto& blocks = recorder_.blocks();
  std::vector<BlockGradient> found;
  bool isKnown = false;
  for (std::size_t i = blocks.size(); i > 0; --i) {
    const GradientRecorder::Block& block = blocks[i - 1];
    if (!layer.empty() && block.layer != layer) continue;
    isKnown = true;
    if (!blockGradients_[i - 1].defined()) continue;
    const torch::Tensor gradient = tokenRows(blockGradients_[i - 1]);
    const std::int64_t prefix = gradient.size(0) - block.grid.count();
    if (isZero(gradient.slice(0, prefix))) continue;
    found.push_back({block.layer, block.grid, tokenRows(block.tokens).detach().slice(0, prefix),
                     gradient.slice(0, prefix)});
  }
  if (!found.empty()) return found;
  const std::string which = layer.empty() ? "its blocks" : layer;
  if (!isKnown) throw InspectionError("the network has no tokens behind " + which);
  throw InspectionError("the answer does not depend on the patches behind " + which +
                        ": it is read from other tokens there; choose an earlier layer");
}

ClassMap ClassMapPass::gradientTokens(const std::string& layer) const {
  const at::NoGradGuard noGradient;
  // Products that cancel to less than this share of their magnitudes are rounding.
  constexpr double cancelled = 1e-4;
  for (const BlockGradient& block : blockGradients(layer)) {
    const torch::Tensor products = block.patches * block.gradient;
    const torch::Tensor sums = products.sum(-1);
    const double magnitude = products.abs().sum(-1).max().item<double>();
    if (sums.abs().max().item<double>() <= cancelled * magnitude) continue;
    return {.method = ClassMethod::GradientTokens,
            .layer = block.layer,
            .grid = block.grid,
            .patches = patchValuesOf(sums)};
  }
  throw InspectionError(
      "the patches behind " + (layer.empty() ? "its blocks" : layer) +
      " reach the answer through a layer norm alone, which does not see how long they are, so that "
      "each times its gradient is zero" +
      (layer.empty() ? "" : "; choose an earlier layer"));
}

ClassMap ClassMapPass::gradCam(const std::string& layer) const {
  const at::NoGradGuard noGradient;
  const BlockGradient block = blockGradients(layer).front();
  const torch::Tensor weights = block.gradient.mean(0);
  return {.method = ClassMethod::GradCam,
          .layer = block.layer,
          .grid = block.grid,
          .patches = patchValuesOf(at::matmul(block.patches, weights).clamp_min(0))};
}

ClassMap ClassMapPass::integratedGradients(int points) const {
  const at::AutoGradMode differentiable(true);
  const auto logitAt = [&](const torch::Tensor& picture) {
    return network_.forward(picture, nullptr)[0][classIndex_];
  };
  const torch::Tensor target = picture_.detach();
  torch::Tensor sum = at::zeros_like(target, torch::kFloat64);
  const Progress progress = progress_.part(shareBeforePoints, 1);
  for (int point = 0; point < points; ++point) {
    progress.report(static_cast<double>(point) / points,
                    "Point " + std::to_string(point + 1) + " of " + std::to_string(points));
    const torch::Tensor at = (target * ((point + 0.5) / points)).requires_grad_();
    sum += gradientsOf(logitAt(at), {at})[0].to(torch::kFloat64);
  }
  const at::NoGradGuard noGradient;
  const torch::Tensor parts = inDoubleOnHost((sum / points * target)[0].sum(0));
  const double difference =
      logits_[0][classIndex_].item<double>() - logitAt(at::zeros_like(target)).item<double>();
  TokenGrid pixels{static_cast<int>(parts.size(0)), static_cast<int>(parts.size(1))};
  Eigen::VectorXd values =
      Eigen::Map<const Eigen::VectorXd>(parts.data_ptr<double>(), parts.numel());
  if (const auto& seen = recorder_.seen()) {
    values = laidOver(*seen, values, pixels);
    pixels = pixelGridOf(*seen);
  }
  TokenGrid grid = pixels;
  for (const auto& layer : recorder_.layers()) {
    const AttentionDescription& attention = layer.record.description;
    if (isOverChannels(attention) || (!attention.queryGrid && !attention.keyGrid)) continue;
    grid = attention.queryGrid ? *attention.queryGrid : *attention.keyGrid;
    break;
  }
  return {.method = ClassMethod::IntegratedGradients,
          .grid = grid,
          .patches = sharedByArea(values, pixels, grid).cast<float>(),
          .note = "sum " + fixedText(values.sum(), 3) + ", difference of y " +
                  fixedText(difference, 3)};
}

}  // namespace softscope
