#pragma once

#include "core/network/Recorder.h"
#include "models/attention/SimaAttention.h"
#include "models/layers/Layers.h"

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The attention of the token blocks of an XCiT backbone.
enum class XcitMechanism {
  Channel,           ///< XCA, XCiT's attention of channels to channels
  Sima,              ///< SimA: l1-normalised channels, no softmax
  SimaL2,            ///< SimA with l2 norms
  SimaUnnormalised,  ///< SimA without normalisation
  Softmax,           ///< softmax over tokens; not published with this backbone
};

/// Returns the name that AttentionDescription and LayerSummary use.
std::string mechanismName(XcitMechanism mechanism);
std::string classMechanismName(XcitMechanism mechanism);
/// Returns SimA's norm; nothing for a mechanism that is not one of SimA's.
std::optional<SimaNorm> simaNormOf(XcitMechanism mechanism);

struct XcitAttentionOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  bool queryBias = true;
  XcitMechanism mechanism = XcitMechanism::Channel;
  /// True if queries, keys and values of class attention have a projection each, as in timm.
  bool isSplit = false;
};

/// `attn` of a token block: a single projection to q, k and v, the mechanism, and `proj`.
class XcitAttentionImpl : public torch::nn::Module {
 public:
  explicit XcitAttentionImpl(const XcitAttentionOptions& options);
  /// Maps [B, n, channels] to [B, n, channels].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  const std::string& layer() const { return options_.name; }

 private:
  XcitAttentionOptions options_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
  torch::Tensor temperature_;
};
TORCH_MODULE(XcitAttention);

/// `attn` of a class-attention block: only the class token queries, and all tokens are keys. SimA
/// divides the channels of q and k by their norms over all 1 + n tokens; XCiT takes a softmax.
class XcitClassAttentionImpl : public torch::nn::Module {
 public:
  explicit XcitClassAttentionImpl(const XcitAttentionOptions& options);
  /// Maps [B, 1 + n, channels], with the class token first, to [B, 1, channels].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  const std::string& layer() const { return options_.name; }

 private:
  /// Returns projection `part` of q, k, v: [B, n, channels] -> [B, heads, n, d].
  torch::Tensor project(const torch::Tensor& tokens, int part) const;
  void record(const torch::Tensor& attention, const torch::Tensor& query, const torch::Tensor& key,
              const torch::Tensor& value, const TokenGrid& grid, Recorder* recorder) const;

  XcitAttentionOptions options_;
  Linear queryKeyValue_{nullptr};
  std::vector<Linear> split_;  ///< q, k, v
  Linear projection_{nullptr};
};
TORCH_MODULE(XcitClassAttention);

class Recorder;
/// Computes XCiT's attention among channels ("XCiT: Cross-Covariance Image Transformers", 2021,
/// arXiv 2106.09681): V A^T with A = softmax(temperature Q^T K) over the channels of K, where the
/// channels of Q and K are divided by their l2 norms over the tokens. Query, key, value and the
/// result are [B, heads, n, d]; `temperature` is [heads, 1, 1]. Takes O(n d^2). Recorded as A, d x
/// d.
torch::Tensor crossCovarianceAttention(const torch::Tensor& query, const torch::Tensor& key,
                                       const torch::Tensor& value, const torch::Tensor& temperature,
                                       const std::string& layer, Recorder* recorder);

}  // namespace softscope
