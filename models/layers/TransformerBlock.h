#pragma once

#include "core/network/Recorder.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Layers.h"
#include "models/layers/RecordedTokens.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace softscope {

/// The attention of a block: `mha` in stages 1 to 3 of SOFT's pyramid, either SOFT's own or
/// another; `attn` of a TransformerBlock.
class StageAttention : public torch::nn::Module {
 public:
  /// `name` is the path of `mha.attn`, or of `attn`, for the recorder.
  explicit StageAttention(std::string name) : name_(std::move(name)) {}
  /// Maps [B, n, channels] to [B, n, channels], prefix tokens included.
  virtual torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                Recorder* recorder) = 0;
  const std::string& layer() const { return name_; }

 private:
  std::string name_;
};

/// fc2(GELU(fc1 x)), from `channels` to `hidden` and back.
class MlpImpl : public torch::nn::Module {
 public:
  MlpImpl(int channels, int hidden);
  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};
TORCH_MODULE(Mlp);

/// x += attn(norm1 x); x += mlp(norm2 x), under timm's names: the block of networks that differ
/// from a plain vision transformer in their attention, and perhaps in their norms.
template <typename Norm>
class TransformerBlockImpl : public torch::nn::Module {
 public:
  TransformerBlockImpl(std::shared_ptr<StageAttention> attention, int channels, int hidden,
                       const std::function<Norm()>& makeNorm) {
    norm1_ = register_module("norm1", makeNorm());
    attention_ = register_module("attn", std::move(attention));
    norm2_ = register_module("norm2", makeNorm());
    mlp_ = register_module("mlp", Mlp(channels, hidden));
  }

  /// Maps [B, n, C] to [B, n, C], prefix tokens included.
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder) {
    const torch::Tensor attended = attention_->forward(norm1_->forward(tokens), grid, recorder);
    recordAddition(recorder, attention_->layer(), tokens, attended);
    const torch::Tensor x = tokens + attended;
    return recordTokens(recorder, attention_->layer(), x + mlp_->forward(norm2_->forward(x)), grid);
  }

 private:
  Norm norm1_{nullptr};
  std::shared_ptr<StageAttention> attention_;
  Norm norm2_{nullptr};
  Mlp mlp_{nullptr};
};
template <typename Norm>
using TransformerBlock = torch::nn::ModuleHolder<TransformerBlockImpl<Norm>>;

}  // namespace softscope
