#include "models/convit/ConvitNetwork.h"

#include "models/attention/MixedSoftmax.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"

#include <algorithm>

namespace softscope {

namespace {

/// Gated positional self-attention, (1 - s) softmax(q k^T / sqrt(d)) + s softmax(w (x, y, x^2 +
/// y^2)), where x and y are the key's distances from the query in patches, and s = sigmoid(gate),
/// with a gate and a w per head.
class GatedAttentionImpl : public StageAttention {
 public:
  GatedAttentionImpl(const std::string& name, const ConvitConfiguration& configuration);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  struct Places {
    torch::Tensor query;  ///< [heads, n, 3]
    torch::Tensor key;    ///< [heads, n, 3]
  };
  /// Returns vectors whose products are the positional scores, up to numbers that are the same for
  /// all keys of a query, which a softmax removes.
  Places places(const TokenGrid& grid) const;

  int heads_;
  Linear queryKey_{nullptr};
  Linear value_{nullptr};
  Linear positional_{nullptr};
  torch::Tensor gate_;
  Linear projection_{nullptr};
};

GatedAttentionImpl::GatedAttentionImpl(const std::string& name,
                                       const ConvitConfiguration& configuration)
    : StageAttention(name), heads_(configuration.heads) {
  const int channels = configuration.channels;
  const bool bias = configuration.queryBias;
  queryKey_ = register_module("qk", Linear(channels, 2 * channels, bias));
  value_ = register_module("v", Linear(channels, channels, bias));
  positional_ = register_module("pos_proj", Linear(3, heads_));
  gate_ = register_parameter("gating_param", torch::empty({heads_}));
  projection_ = register_module("proj", Linear(channels, channels));
}

GatedAttentionImpl::Places GatedAttentionImpl::places(const TokenGrid& grid) const {
  const torch::TensorOptions options = positional_->weight.options();
  // From the middle of the grid, so that squares stay small.
  const torch::Tensor down = at::arange(grid.height, options).sub((grid.height - 1) / 2.0);
  const torch::Tensor across = at::arange(grid.width, options).sub((grid.width - 1) / 2.0);
  const torch::Tensor y = down.repeat_interleave(grid.width);
  const torch::Tensor x = across.repeat({grid.height});
  const torch::Tensor weight = positional_->weight.unsqueeze(-1);  // [heads, 3, 1]
  const torch::Tensor wx = weight.select(1, 0);
  const torch::Tensor wy = weight.select(1, 1);
  const torch::Tensor ws = weight.select(1, 2);
  const torch::Tensor query =
      at::stack({wx - 2 * ws * x, wy - 2 * ws * y, ws.expand({-1, x.size(0)})}, -1);
  const torch::Tensor key = at::stack({x, y, x * x + y * y}, -1).expand({heads_, -1, -1});
  return {query, key};
}

torch::Tensor GatedAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                          Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKey_->forward(tokens).chunk(2, -1);
  torch::Tensor query = splitHeads(parts[0], heads_);
  torch::Tensor key = splitHeads(parts[1], heads_);
  const torch::Tensor value = splitHeads(value_->forward(tokens), heads_);
  const double scale = inverseRootOfWidth(query);
  const Places where = places(grid);
  const std::int64_t width = std::max<std::int64_t>(query.size(-1), where.query.size(-1));
  const auto widened = [&](const torch::Tensor& x) {
    return at::constant_pad_nd(x, {0, width - x.size(-1)});
  };
  const auto both = [&](const torch::Tensor& contents, const torch::Tensor& positions) {
    const torch::Tensor all = widened(positions).expand({contents.size(0), -1, -1, -1});
    return at::cat({widened(contents), all}, 1);
  };
  query = both(query, where.query / scale);
  key = both(key, where.key);
  const torch::Tensor share = gate_.sigmoid();
  AttentionDescription description;
  description.mechanism = "gated_positional";
  description.queryGrid = grid;
  description.keyGrid = grid;
  const SoftmaxMixture mixture{.scale = scale,
                               .after = at::cat({at::diag(1 - share), at::diag(share)}, 1)};
  const torch::Tensor attended =
      mixedSoftmaxAttention(query, key, value, mixture, layer(), description, recorder);
  return projection_->forward(joinTerms({attended, {}}, layer(), projection_->weight, recorder));
}

/// Softmax attention between all tokens.
class UngatedAttentionImpl : public StageAttention {
 public:
  UngatedAttentionImpl(const std::string& name, const ConvitConfiguration& configuration)
      : StageAttention(name), heads_(configuration.heads) {
    const int channels = configuration.channels;
    queryKeyValue_ =
        register_module("qkv", Linear(channels, 3 * channels, configuration.queryBias));
    projection_ = register_module("proj", Linear(channels, channels));
  }

  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override {
    const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
    const torch::Tensor query = splitHeads(parts[0], heads_);
    AttentionDescription description;
    description.mechanism = "softmax";
    description.queryGrid = grid;
    description.keyGrid = grid;
    description.prefixTokens = static_cast<int>(tokens.size(1)) - grid.count();
    const torch::Tensor attended =
        softmaxAttention(query, splitHeads(parts[1], heads_), splitHeads(parts[2], heads_),
                         inverseRootOfWidth(query), layer(), description, recorder);
    return projection_->forward(joinTerms({attended, {}}, layer(), projection_->weight, recorder));
  }

 private:
  int heads_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
};

}  // namespace

ConvitNetwork::ConvitNetwork(const ConvitConfiguration& configuration)
    : pictureSide_(configuration.side * configuration.patch),
      gatedDepth_(configuration.gatedDepth),
      poolsPatches_(configuration.poolsPatches) {
  const int channels = configuration.channels;
  Group embedding = register_module("patch_embed", Group());
  embedding_ =
      embedding->add("proj", Convolution(ConvolutionOptions{.inputs = 3,
                                                            .outputs = channels,
                                                            .kernel = configuration.patch,
                                                            .stride = configuration.patch}));
  classToken_ = register_parameter("cls_token", torch::empty({1, 1, channels}));
  if (configuration.hasPositions) {
    positions_ = register_parameter(
        "pos_embed", torch::empty({1, configuration.side * configuration.side, channels}));
  }
  Group blocks = register_module("blocks", Group());
  for (int i = 0; i < configuration.depth; ++i) {
    const std::string index = std::to_string(i);
    const std::string name = "blocks." + index + ".attn";
    std::shared_ptr<StageAttention> attention;
    if (i < gatedDepth_) {
      attention = std::make_shared<GatedAttentionImpl>(name, configuration);
    } else {
      attention = std::make_shared<UngatedAttentionImpl>(name, configuration);
    }
    blocks_.push_back(blocks->add(
        index, TransformerBlock<LayerNorm>(attention, channels, configuration.hidden, [&] {
          return LayerNorm(channels, configuration.epsilon);
        })));
  }
  norm_ = register_module("norm", LayerNorm(channels, configuration.epsilon));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(channels, configuration.classes));
  }
}

torch::Tensor ConvitNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embedding_->forward(picture);
  const TokenGrid grid = gridOf(map);
  torch::Tensor tokens = tokensOf(map);
  if (positions_.defined()) tokens = tokens + positions_;
  const torch::Tensor classToken = classToken_.expand({tokens.size(0), -1, -1});
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (static_cast<int>(i) == gatedDepth_) tokens = at::cat({classToken, tokens}, 1);
    tokens = blocks_[i]->forward(tokens, grid, recorder);
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  if (poolsPatches_) return head_->forward(norm_->forward(tokens.slice(1, 1)).mean(1));
  return head_->forward(norm_->forward(tokens.select(1, 0)));
}

void ConvitNetwork::checkInputSize(int height, int width) const {
  requireOnlyInputSize(height, width, pictureSide_);
}

}  // namespace softscope
