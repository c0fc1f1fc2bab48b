#include "core/network/ReachPass.h"

#include "core/Error.h"
#include "core/network/Recorder.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

/// Keeps the tokens behind every block, [n, C] with those before the patches first, such that they
/// can be differentiated.
class BlockTokensRecorder final : public Recorder {
 public:
  explicit BlockTokensRecorder(const Progress& progress) : progress_(progress) {}

  void record(AttentionRecord) override { progress_.throwIfCancelled(); }
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  void recordTokens(const TokenRecord& record) override { blocks_.push_back(record); }

  /// Returns the tokens behind the block of a layer; null if there are none.
  const TokenRecord* find(const std::string& layer) const {
    const auto found = std::ranges::find(blocks_, layer, &TokenRecord::layer);
    return found == blocks_.end() ? nullptr : &*found;
  }

 private:
  const Progress& progress_;
  std::vector<TokenRecord> blocks_;
};

int cellAt(double fraction, int cells) {
  return std::clamp(static_cast<int>(fraction * cells), 0, cells - 1);
}

/// Enters the token that is asked about. Throws InspectionError if the block has no such token.
void chooseToken(Reach& reach, const TokenRecord& block, const ReachRequest& request) {
  reach.grid = block.grid;
  reach.channels = static_cast<int>(block.tokens.size(1));
  reach.prefixTokens = static_cast<int>(block.tokens.size(0)) - block.grid.count();
  if (request.prefixToken) {
    if (*request.prefixToken >= reach.prefixTokens) {
      throw InspectionError("behind this block there are " + std::to_string(reach.prefixTokens) +
                            " tokens before the patches; ask for a patch, or at another layer");
    }
    reach.token = *request.prefixToken;
    return;
  }
  reach.patch =
      cellAt(request.y, block.grid.height) * block.grid.width + cellAt(request.x, block.grid.width);
  reach.token = reach.prefixTokens + *reach.patch;
}

/// Returns orthonormal directions at random, [channels, directions]: the same for the same sizes.
torch::Tensor randomDirections(int channels, int directions) {
  constexpr std::uint64_t seed = 0;
  const at::Generator random = at::make_generator<at::CPUGeneratorImpl>(seed);
  const torch::Tensor normal = torch::randn({channels, directions}, random, torch::kFloat64);
  return std::get<0>(at::linalg_qr(normal));
}

/// Returns ∂scalar/∂picture, [channels, H, W]; undefined if it does not depend on the picture. The
/// graph stays.
torch::Tensor gradientOf(const torch::Tensor& scalar, const torch::Tensor& picture) {
  if (!scalar.requires_grad()) return {};
  const torch::Tensor gradient =
      torch::autograd::grad({scalar}, {picture}, {}, true, false, /*allow_unused=*/true)[0];
  return gradient.defined() ? gradient[0].detach() : gradient;
}

Eigen::VectorXd reachedPixels(const torch::Tensor& pixels) {
  const torch::Tensor host = pixels.to(torch::kCPU, torch::kFloat64).contiguous();
  return Eigen::Map<const Eigen::VectorXd>(host.data_ptr<double>(), host.numel());
}

/// Returns the mean over directions of the squared gradients, times the number of channels, which
/// is the squared Frobenius norm if there are as many directions: [H, W].
torch::Tensor jacobianNorms(const Reach& reach, const torch::Tensor& token,
                            const torch::Tensor& picture, const Progress& progress) {
  const torch::Tensor directions =
      randomDirections(reach.channels, reach.directions).to(token.options());
  torch::Tensor sum;
  for (int i = 0; i < reach.directions; ++i) {
    progress.report(static_cast<double>(i) / reach.directions,
                    reach.layer + ", direction " + std::to_string(i + 1) + " of " +
                        std::to_string(reach.directions));
    const torch::Tensor gradient = gradientOf(at::dot(token, directions.select(1, i)), picture);
    if (!gradient.defined()) continue;
    const torch::Tensor squares = gradient.to(torch::kFloat64).square().sum(0);
    sum = sum.defined() ? sum + squares : squares;
  }
  if (!sum.defined()) return sum;
  return sum * (static_cast<double>(reach.channels) / reach.directions);
}

torch::Tensor positiveGradient(const torch::Tensor& token, const torch::Tensor& picture) {
  const torch::Tensor gradient = gradientOf(token.relu().sum(), picture);
  return gradient.defined() ? gradient.clamp_min(0).sum(0) : gradient;
}

void fillReach(Reach& reach, const TokenRecord* block, const torch::Tensor& picture,
               const ReachRequest& request, const Progress& progress) {
  if (block == nullptr) throw InspectionError("the network has no tokens behind " + reach.layer);
  chooseToken(reach, *block, request);
  const bool ofJacobian = request.of == ReachGradient::Jacobian;
  reach.directions = ofJacobian ? std::clamp(request.directions, 1, reach.channels) : 1;
  reach.height = static_cast<int>(picture.size(2));
  reach.width = static_cast<int>(picture.size(3));
  const torch::Tensor token = block->tokens[reach.token];
  const torch::Tensor pixels = ofJacobian ? jacobianNorms(reach, token, picture, progress)
                                          : positiveGradient(token, picture);
  if (!pixels.defined()) {
    throw InspectionError("the token behind " + reach.layer + " does not depend on the picture");
  }
  reach.pixels = reachedPixels(pixels);
  if (!reach.pixels.allFinite()) {
    throw InspectionError("the gradient of the token behind " + reach.layer + " is not finite");
  }
}

}  // namespace

std::vector<Reach> reachOf(Network& network, const torch::Tensor& picture,
                           const ReachRequest& request, const Progress& progress) {
  const at::AutoGradMode differentiable(true);
  const torch::Tensor input = picture.detach().clone().requires_grad_();
  BlockTokensRecorder recorder(progress);
  progress.report(0, "Forward pass");
  network.forward(input, &recorder);
  std::vector<Reach> reaches;
  for (const std::string& layer : request.layers) {
    progress.throwIfCancelled();
    Reach reach{.layer = layer};
    try {
      fillReach(reach, recorder.find(layer), input, request, progress);
    } catch (const InspectionError& error) {
      reach.obstacle = error.what();
    }
    reaches.push_back(std::move(reach));
  }
  return reaches;
}

}  // namespace softscope
