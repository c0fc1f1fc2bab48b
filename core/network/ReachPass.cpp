#include "core/network/ReachPass.h"

#include "core/Error.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/reach/Reach.h"
#include "core/network/Recorder.h"
#include "core/text/Words.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Keeps the tokens behind every block, [n, C] with those before the patches first, such that they
/// can be differentiated; if asked for, also what each attention module adds to them.
class BlockTokensRecorder final : public Recorder, public TermObserver {
 public:
  BlockTokensRecorder(ReachedToken behind, const Progress& progress)
      : behind_(behind), progress_(progress) {}

  TermObserver* terms() override {
    return behind_ == ReachedToken::BehindAttention ? this : nullptr;
  }
  std::vector<int> silencedHeads(const std::string&) const override { return {}; }
  void recordTerms(TermRecord) override {}
  void recordAddition(AdditionRecord record) override { additions_.push_back(std::move(record)); }
  void record(AttentionRecord record) override {
    progress_.throwIfCancelled();
    descriptions_[record.layer] = record.description;
  }
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  void recordTokens(const TokenRecord& record) override { blocks_.push_back(record); }
  void recordSeen(const PictureRegion& part) override { seen_ = part; }

  /// The part of the input that the tokens' grids cover; empty if that is all of it.
  const std::optional<PictureRegion>& seen() const { return seen_; }

  /// Returns the tokens behind the block of a layer; null if there are none.
  const TokenRecord* find(const std::string& layer) const {
    const auto found = std::ranges::find(blocks_, layer, &TokenRecord::layer);
    return found == blocks_.end() ? nullptr : &*found;
  }
  /// Returns the tokens behind the block before that of a layer; null if it is the first.
  const TokenRecord* findBefore(const std::string& layer) const {
    const auto found = std::ranges::find(blocks_, layer, &TokenRecord::layer);
    return found == blocks_.begin() || found == blocks_.end() ? nullptr : &*std::prev(found);
  }
  /// Returns what the attention module of a layer adds, [n, C] in the network's own order;
  /// undefined if that is not known.
  torch::Tensor additionOf(const std::string& layer) const {
    const auto found = std::ranges::find(additions_, layer, &AdditionRecord::layer);
    if (found == additions_.end()) return {};
    return found->output.dim() == 3 ? found->output.flatten(1).t() : found->output;
  }
  /// Returns the place of a layer's token in the network's own order. Tokens are counted with all
  /// that are no patches first.
  std::int64_t placeOf(const std::string& layer, int token, std::int64_t count) const {
    const AttentionDescription& attention = descriptions_.at(layer);
    if (!attention.queryGrid) return token;
    const auto single = static_cast<int>(count) - attention.queryGrid->count();
    const int prefix = single - attention.suffixTokens;
    if (token < prefix) return attention.patchesBeforePrefix + token;
    if (token < single) return count - single + token;
    const int patch = token - single;
    return patch < attention.patchesBeforePrefix ? patch : patch + prefix;
  }

 private:
  ReachedToken behind_;
  const Progress& progress_;
  std::vector<TokenRecord> blocks_;
  std::vector<AdditionRecord> additions_;
  std::map<std::string, AttentionDescription> descriptions_;
  std::optional<PictureRegion> seen_;
};

/// Returns orthonormal directions at random, [channels, directions]: the same for the same sizes.
torch::Tensor randomDirections(int channels, int directions) {
  constexpr std::uint64_t seed = 0;
  const at::Generator random = at::make_generator<at::CPUGeneratorImpl>(seed);
  const torch::Tensor normal = torch::randn({channels, directions}, random, torch::kFloat64);
  return std::get<0>(at::linalg_qr(normal));
}

/// Returns ∂scalar/∂source with one row for each channel, [channels, pixels or tokens]; undefined
/// if it does not depend on the source. The graph stays.
torch::Tensor gradientOf(const torch::Tensor& scalar, const torch::Tensor& source) {
  if (!scalar.requires_grad() || !source.requires_grad()) return {};
  const torch::Tensor gradient =
      torch::autograd::grad({scalar}, {source}, {}, true, false, /*allow_unused=*/true)[0];
  if (!gradient.defined()) return {};
  // A picture and a map are [1, channels, H, W], tokens [1, n, channels].
  return gradient.dim() == 4 ? gradient[0].detach().flatten(1) : gradient[0].detach().t();
}

Eigen::VectorXd reachedPixels(const torch::Tensor& pixels) {
  const torch::Tensor host = pixels.to(torch::kCPU, torch::kFloat64).contiguous();
  return Eigen::Map<const Eigen::VectorXd>(host.data_ptr<double>(), host.numel());
}

/// Returns the mean over directions of the squared gradients, times the number of channels, which
/// is the squared Frobenius norm if there are as many directions: [pixels or tokens].
torch::Tensor jacobianNorms(const Reach& reach, const torch::Tensor& token,
                            const torch::Tensor& source, const Progress& progress) {
  const torch::Tensor directions =
      randomDirections(reach.channels, reach.directions).to(token.options());
  torch::Tensor sum;
  for (int i = 0; i < reach.directions; ++i) {
    progress.report(static_cast<double>(i) / reach.directions,
                    shortLayerName(reach.layer) + ", direction " + std::to_string(i + 1) + " of " +
                        std::to_string(reach.directions));
    const torch::Tensor gradient = gradientOf(at::dot(token, directions.select(1, i)), source);
    if (!gradient.defined()) continue;
    const torch::Tensor squares = gradient.to(torch::kFloat64).square().sum(0);
    sum = sum.defined() ? sum + squares : squares;
  }
  if (!sum.defined()) return sum;
  return sum * (static_cast<double>(reach.channels) / reach.directions);
}

torch::Tensor positiveGradient(const torch::Tensor& token, const torch::Tensor& source) {
  const torch::Tensor gradient = gradientOf(token.relu().sum(), source);
  return gradient.defined() ? gradient.clamp_min(0).sum(0) : gradient;
}

/// Returns the token that is reached, [C].
torch::Tensor reachedToken(const Reach& reach, const TokenRecord& block,
                           const BlockTokensRecorder& recorder, ReachedToken behind) {
  if (behind == ReachedToken::BehindBlock) return block.tokens[reach.token];
  const torch::Tensor added = recorder.additionOf(reach.layer);
  if (!added.defined()) {
    throw InspectionError("the network does not tell what the attention of " + reach.layer +
                          " adds to its tokens");
  }
  if (added.size(0) != block.tokens.size(0)) {
    throw InspectionError("the attention of " + reach.layer + " adds to " +
                          std::to_string(added.size(0)) + " tokens, where the block has " +
                          std::to_string(block.tokens.size(0)) + "; ask for the whole block");
  }
  return added[recorder.placeOf(reach.layer, reach.token, added.size(0))];
}

/// Returns the tensor of what reaches the token, and enters its size.
torch::Tensor enterSource(Reach& reach, const torch::Tensor& picture,
                          const BlockTokensRecorder& recorder) {
  if (reach.from == ReachSource::Pixels) {
    reach.height = static_cast<int>(picture.size(2));
    reach.width = static_cast<int>(picture.size(3));
    reach.seen = recorder.seen();
    return picture;
  }
  const TokenRecord* before = recorder.findBefore(reach.layer);
  if (before == nullptr) {
    throw InspectionError("before the block of " + reach.layer +
                          " there is no other, behind which tokens are recorded; choose a later "
                          "layer, or ask which pixels reach it");
  }
  reach.height = before->grid.height;
  reach.width = before->grid.width;
  return before->all;
}

void takeInfluences(Reach& reach, const torch::Tensor& influences) {
  const Eigen::VectorXd all = reachedPixels(influences);
  const Eigen::Index patches = static_cast<Eigen::Index>(reach.height) * reach.width;
  if (all.size() < patches) {
    throw InspectionError("the tokens before the block of " + reach.layer +
                          " do not lie on the grid that is known of them");
  }
  reach.prefix = all.head(all.size() - patches);
  reach.pixels = all.tail(patches);
  if (all.allFinite()) return;
  throw InspectionError("the gradient of the token behind " + reach.layer + " is not finite");
}

void fillReach(Reach& reach, const BlockTokensRecorder& recorder, const torch::Tensor& picture,
               const ReachRequest& request, const Progress& progress) {
  const TokenRecord* block = recorder.find(reach.layer);
  if (block == nullptr) throw InspectionError("the network has no tokens behind " + reach.layer);
  chooseToken(reach, block->grid, static_cast<int>(block->tokens.size(0)) - block->grid.count(),
              request);
  reach.from = request.from;
  const torch::Tensor token = reachedToken(reach, *block, recorder, request.behind);
  const torch::Tensor source = enterSource(reach, picture, recorder);
  reach.channels = static_cast<int>(token.size(0));
  const bool ofJacobian = request.of == ReachGradient::Jacobian;
  reach.directions = ofJacobian ? std::clamp(request.directions, 1, reach.channels) : 1;
  const torch::Tensor influences =
      ofJacobian ? jacobianNorms(reach, token, source, progress) : positiveGradient(token, source);
  if (!influences.defined()) {
    throw InspectionError("the token behind " + reach.layer + " does not depend on the " +
                          (reach.from == ReachSource::Pixels ? "picture" : "tokens before it"));
  }
  takeInfluences(reach, influences);
}

}  // namespace

std::vector<Reach> reachOf(Network& network, const torch::Tensor& picture,
                           const ReachRequest& request, const Progress& progress) {
  const at::AutoGradMode differentiable(true);
  const torch::Tensor input = picture.detach().clone().requires_grad_();
  BlockTokensRecorder recorder(request.behind, progress);
  progress.report(0, "Forward pass");
  network.forward(input, &recorder);
  std::vector<Reach> reaches;
  for (const std::string& layer : request.layers) {
    progress.throwIfCancelled();
    Reach reach{.layer = layer};
    reach.obstacle = obstacleOf([&] { fillReach(reach, recorder, input, request, progress); });
    reaches.push_back(std::move(reach));
  }
  return reaches;
}

}  // namespace softscope
