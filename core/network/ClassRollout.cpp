#include "core/network/ClassRollout.h"

#include "core/Error.h"
#include "core/analysis/GradientFlow.h"
#include "core/attention/Mechanism.h"
#include "core/network/AttentionGradient.h"
#include "core/text/Words.h"

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

}  // namespace

ClassMap rollOutClass(const std::vector<GradientRecorder::Layer>& layers,
                      const std::vector<torch::Tensor>& gradients, AttentionEntries entries,
                      const Progress& progress) {
  ClassWalk walk(entries, progress);
  for (std::size_t i = layers.size(); i > 0; --i) {
    progress.report(1 - static_cast<double>(i) / static_cast<double>(layers.size()),
                    layers[i - 1].record.layer);
    walk.pass(layers[i - 1], gradients[i - 1]);
  }
  return walk.result();
}

}  // namespace softscope
