#include "models/lra/LraNetwork.h"

#include "models/attention/EluAttention.h"
#include "models/attention/LinformerAttention.h"
#include "models/attention/NystromformerAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"

#include <cmath>
#include <utility>

namespace softscope {

/// Queries, keys and values, [B, heads, n, d] each, as projected, and the mask [B, 1, n, 1].
struct LraAttentionImpl::Projected {
  torch::Tensor query, key, value, mask;
};

namespace {

/// Added to the scores of masked keys, as in the published code.
constexpr double maskedScore = -1e6;
constexpr double maskedScoreOfLandmarks = -1e9;

/// Passes a factored map on with the norms of queries and keys as they were projected, and with
/// zeros in the columns of masked keys, whose values count as zeros. Nyströmformer's values do not:
/// its weights of these keys are zero, unless all keys are masked.
class MaskedKeysRecorder final : public Recorder {
 public:
  MaskedKeysRecorder(torch::Tensor query, torch::Tensor key, torch::Tensor mask, Recorder& recorder)
      : query_(std::move(query)),
        key_(std::move(key)),
        mask_(std::move(mask)),
        recorder_(recorder) {}

  void record(AttentionRecord record) override {
    record.queryL1 = query_.abs().sum(-1);
    record.keyL1 = key_.abs().sum(-1);
    if (record.description.mechanism == "nystromformer") {
      record.description.mechanism = "nystrom";
      record.bottleneck.reset();
      record.bottleneckInverse.reset();
      record.exactKernel.reset();
    } else {
      auto& factors = std::get<FactorTensors>(record.map);
      factors.right = factors.right * mask_;
    }
    recorder_.record(std::move(record));
  }
  void throwIfCancelled() const override { recorder_.throwIfCancelled(); }

 private:
  torch::Tensor query_, key_;  ///< [heads, n, d]
  torch::Tensor mask_;         ///< [1, n, 1]
  Recorder& recorder_;
};

/// Returns [x, added]: with a channel of ones in queries and of scores in keys, products gain these
/// scores.
torch::Tensor withChannel(const torch::Tensor& x, const torch::Tensor& added) {
  return at::cat({x, added.expand({x.size(0), x.size(1), x.size(2), 1})}, -1);
}

bool masksAny(const torch::Tensor& mask) {
  return mask[0].min().item<float>() == 0;
}

constexpr double lraNormEpsilon = 1e-5;

}  // namespace

LraAttentionImpl::LraAttentionImpl(const LraAttentionOptions& options) : options_(options) {
  const auto projection = [&](const char* name) {
    return register_module(name, Linear(options.channels, options.inner));
  };
  query_ = projection("W_q");
  key_ = projection("W_k");
  value_ = projection("W_v");
  output_ = register_module("ff", Linear(options.inner, options.channels));
  const int width = options.inner / options.heads;
  if (options.mechanism == LraMechanism::Linformer) {
    projection_ =
        registerParameterAt(*this, "attn.E", {options.heads, options.projected, options.tokens});
  }
  if (options.mechanism == LraMechanism::Performer) {
    Group attention = register_module("attn", Group());
    projection_ =
        attention->add("attn_fn", Group())
            ->register_buffer("projection_matrix", torch::empty({options.projected, width}));
  }
  if (options.filter > 0) {
    filters_ =
        registerParameterAt(*this, "attn.conv.weight", {options.heads, 1, options.filter, 1});
  }
}

torch::Tensor LraAttentionImpl::attendBySoftmax(const Projected& in, bool clearsMasked,
                                                AttentionDescription description,
                                                Recorder* recorder) const {
  const double scale = inverseRootOfWidth(in.query);
  const torch::Tensor clearedQuery = clearsMasked ? in.query * in.mask : in.query;
  const torch::Tensor clearedKey = clearsMasked ? in.key * in.mask : in.key;
  const torch::Tensor query = withChannel(clearedQuery, at::ones_like(in.mask));
  const torch::Tensor key = withChannel(clearedKey, (1 - in.mask) * (maskedScore / scale));
  if (recorder != nullptr) {
    description.mechanism = "softmax";
    AttentionRecord record{
        .layer = options_.name,
        .description = std::move(description),
        .map = KernelTensors{KernelTensors::Kernel::Softmax, clearedQuery[0], clearedKey[0], scale},
        .queryL1 = in.query[0].abs().sum(-1),
        .keyL1 = in.key[0].abs().sum(-1)};
    if (masksAny(in.mask)) record.map = MixtureTensors{query[0], key[0], scale};
    recorder->record(std::move(record));
  }
  return softmaxAttention(query, key, in.value, scale, options_.name, {}, nullptr);
}

torch::Tensor LraAttentionImpl::attendThroughLandmarks(const Projected& in,
                                                       const AttentionDescription& description,
                                                       Recorder* recorder) const {
  const double scale = inverseRootOfWidth(in.query);
  const torch::Tensor query = in.query * in.mask;
  const torch::Tensor key = in.key * in.mask;
  const torch::Tensor none = at::zeros_like(in.mask.slice(2, 0, 1));
  // Only the scores between landmarks of queries and keys themselves know of the mask.
  return nystromformerAttention(
      {.query = withChannel(query, none),
       .key = withChannel(key, (1 - in.mask) * (maskedScoreOfLandmarks / scale)),
       .value = in.value,
       .queryLandmarks = withChannel(meansOfRuns(query, options_.landmarks), none + 1),
       .keyLandmarks = withChannel(meansOfRuns(key, options_.landmarks), none),
       .scale = scale,
       .start = NystromformerStart::Original},
      options_.name, description, recorder);
}

torch::Tensor LraAttentionImpl::attend(const Projected& in, const AttentionDescription& description,
                                       Recorder* recorder) const {
  const bool hasAllLandmarks =
      options_.mechanism == LraMechanism::Nystrom && options_.landmarks == options_.tokens;
  if (options_.mechanism == LraMechanism::Softmax) {
    return attendBySoftmax(in, false, description, recorder);
  }
  if (hasAllLandmarks) {
    // Nyströmformer takes masked queries and keys as zeros, before it looks for landmarks.
    return attendBySoftmax(in, true, description, recorder);
  }
  std::optional<MaskedKeysRecorder> masked;
  if (recorder != nullptr) masked.emplace(in.query[0], in.key[0], in.mask[0], *recorder);
  Recorder* const of = masked ? &*masked : nullptr;
  const torch::Tensor value = in.value * in.mask;
  switch (options_.mechanism) {
    case LraMechanism::Softmax:
    case LraMechanism::Elu:
      break;
    case LraMechanism::Linformer:
      return linformerAttention(in.query, in.key * in.mask, value, projection_, options_.name,
                                description, of);
    case LraMechanism::Performer: {
      // The published attention scales once more than the one inside it.
      const double scale = std::sqrt(inverseRootOfWidth(in.query));
      return performerAttention(in.query * scale, in.key * scale * in.mask, value, projection_,
                                options_.name, description, of, options_.largestOfKeys);
    }
    case LraMechanism::Nystrom:
      return attendThroughLandmarks(in, description, of);
  }
  return eluAttention(in.query, in.key, value, options_.name, description, of);
}

torch::Tensor LraAttentionImpl::forward(const torch::Tensor& tokens, const torch::Tensor& mask,
                                        const TokenGrid& grid, Recorder* recorder) {
  const auto heads = [&](const Linear& projection) {
    return splitHeads(projection.ptr()->forward(tokens), options_.heads);
  };
  const Projected in{heads(query_), heads(key_), heads(value_), mask.unsqueeze(1).unsqueeze(-1)};
  AttentionDescription description;
  description.queryGrid = grid;
  description.keyGrid = grid;
  if (filters_.defined()) {
    description.beside = "a convolution of V along the sequence of pixels";
  }
  HeadTerms terms{attend(in, description, recorder), {}};
  if (filters_.defined()) {
    terms.beside = at::conv2d(in.value * in.mask, filters_, {}, 1, {options_.filter / 2, 0}, 1,
                              options_.heads);
  }
  return output_->forward(joinTerms(terms, options_.name, output_->weight, recorder));
}

LraNetwork::LraNetwork(const LraConfiguration& configuration) : configuration_(configuration) {
  const LraAttentionOptions& attention = configuration.attention;
  const int channels = attention.channels;
  const auto addNorm = [&](const std::string& path) {
    return registerAt(*this, path, LayerNorm(channels, lraNormEpsilon));
  };
  const std::string embeddings = "model.embeddings.";
  valueEmbedding_ = registerParameterAt(*this, embeddings + "word_embeddings.weight",
                                        {configuration.values, channels});
  positions_ = registerParameterAt(*this, embeddings + "position_embeddings.weight",
                                   {attention.tokens, channels});
  for (int i = 0; i < configuration.depth; ++i) {
    const std::string path = "model.transformer_" + std::to_string(i);
    LraAttentionOptions options = attention;
    options.name = path + ".mha";
    Block block;
    block.norm1 = addNorm(path + ".norm1");
    block.attention = registerAt(*this, options.name, LraAttention(options));
    block.norm2 = addNorm(path + ".norm2");
    block.expand = registerAt(*this, path + ".mlpblock.0", Linear(channels, configuration.hidden));
    block.contract =
        registerAt(*this, path + ".mlpblock.3", Linear(configuration.hidden, channels));
    blocks_.push_back(block);
  }
  norm_ = addNorm("model.norm");
  if (configuration.classes == 0) return;
  // The published name lacks an "i".
  const std::string head = "seq_classifer.mlpblock.";
  headExpand_ = registerAt(*this, head + "0", Linear(channels, configuration.headHidden));
  headContract_ =
      registerAt(*this, head + "2", Linear(configuration.headHidden, configuration.classes));
}

torch::Tensor LraNetwork::forward(const torch::Tensor& pictures, Recorder* recorder) {
  const torch::Tensor pixels =
      pictures.select(1, 0).flatten(1).round().clamp(0, configuration_.values - 1);
  const torch::Tensor mask = pixels.gt(0).to(positions_.scalar_type());
  const TokenGrid grid{configuration_.side, configuration_.side};
  torch::Tensor tokens = at::embedding(valueEmbedding_, pixels.to(torch::kInt64)) + positions_;
  for (Block& block : blocks_) {
    const torch::Tensor attended =
        block.attention->forward(block.norm1->forward(tokens), mask, grid, recorder);
    const std::string& layer = block.attention->layer();
    recordAddition(recorder, layer, tokens, attended);
    tokens = tokens + attended;
    const torch::Tensor hidden =
        block.expand->forward(block.norm2->forward(tokens), Activation::Gelu);
    tokens = recordTokens(recorder, layer, tokens + block.contract->forward(hidden), grid);
  }
  const torch::Tensor last = norm_->forward(tokens) * mask.unsqueeze(-1);
  if (headExpand_.is_empty()) {
    recordFeatures(recorder, [&] { return last; });
    return {};
  }
  return headContract_->forward(headExpand_->forward(last.mean(1), Activation::Relu));
}

void LraNetwork::checkInputSize(int height, int width) const {
  requireOnlyInputSize(height, width, configuration_.side);
}

}  // namespace softscope
