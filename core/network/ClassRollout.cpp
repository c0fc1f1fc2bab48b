#include "core/network/ClassRollout.h"

#include "core/Error.h"
#include "core/analysis/TokenFlow.h"
#include "core/attention/Mechanism.h"
#include "core/network/AttentionGradient.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstdint>

namespace softscope {

namespace {

Eigen::VectorXd sumOfMagnitudes(const torch::Tensor& gradient) {
  const torch::Tensor host =
      gradient.abs().sum(at::IntArrayRef({0, 2})).to(torch::kCPU, torch::kFloat64).contiguous();
  return Eigen::Map<const Eigen::VectorXd>(host.data_ptr<double>(), host.numel());
}

/// One row of R on its way from the last layer to the first.
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
    if (!gradient.defined()) return;
    const Eigen::VectorXd reached = sumOfMagnitudes(gradient);
    if (reached.isZero(0)) return;
    const std::optional<TokenGrid> grid =
        attention.queryGrid ? attention.queryGrid : attention.keyGrid;
    if (!attention.keyGrid || !grid) {
      throw InspectionError(layer.record.layer +
                            ": its keys are no patches, so that nothing goes back to the picture");
    }
    const auto queries = static_cast<int>(gradient.size(1));
    // Tokens that are no patches of a grid.
    const int single = attention.queryGrid ? queries - grid->count() : queries;
    const int suffix = attention.queryGrid ? attention.suffixTokens : 0;
    if (layers_ == 0) start(reached, single, suffix, attention.queryGrid.has_value(), *grid);
    ++layers_;
    const Eigen::VectorXd entering = weightsOn(attention, single, suffix);
    const Eigen::VectorXd seen =
        weightedEntries(layer.record, gradient, entering, entries_, progress_);
    const int keySuffix = attention.suffixTokens;
    add(splitTokens(seen, static_cast<int>(seen.size()) - attention.keyGrid->count() - keySuffix,
                    *attention.keyGrid, keySuffix));
    // A learned query is no token of the layers before.
    if (attention.mechanism == "softmax_pool") flow_.prefix.resize(0);
  }

  ClassMap result() const {
    if (layers_ == 0) throw InspectionError("the answer does not depend on any attention");
    ClassMap map{.method = ClassMethod::GradientRollout, .grid = flow_.grid};
    map.patches = (flow_.patches - carriedFlow(started_, flow_.grid).patches).cast<float>();
    map.note = countedText(layers_, "layer");
    if (passed_ > 0) map.note += ", " + std::to_string(passed_) + " between channels passed by";
    return map;
  }

 private:
  void start(const Eigen::VectorXd& reached, int single, int suffix, bool asksPatches,
             const TokenGrid& grid) {
    Eigen::VectorXd weights = (reached.array() != 0).cast<double>();
    weights /= weights.sum();
    if (asksPatches) {
      flow_ = splitTokens(weights, single - suffix, grid, suffix);
    } else {
      flow_ = {weights, Eigen::VectorXd::Zero(grid.count()), grid};
    }
    started_ = flow_;
  }

  /// Carries the flow to a layer, and returns what lies on the tokens that ask there. Tokens that
  /// the layer does not have bypass it.
  Eigen::VectorXd weightsOn(const AttentionDescription& attention, int single, int suffix) {
    if (attention.queryGrid) flow_ = carriedFlow(flow_, *attention.queryGrid);
    TokenFlow inside = flow_;
    inside.prefix = flow_.prefix.head(std::min<Eigen::Index>(single, flow_.prefix.size()));
    inside.prefix.conservativeResizeLike(Eigen::VectorXd::Zero(single));
    return attention.queryGrid ? joinedTokens(inside, suffix) : inside.prefix;
  }

  void add(const TokenFlow& keys) {
    flow_.patches += carriedFlow(keys, flow_.grid).patches;
    const Eigen::Index shared = std::min(keys.prefix.size(), flow_.prefix.size());
    flow_.prefix.head(shared) += keys.prefix.head(shared);
  }

  AttentionEntries entries_;
  const Progress& progress_;
  TokenFlow flow_;
  TokenFlow started_;
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
