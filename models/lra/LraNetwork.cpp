#include "models/lra/LraNetwork.h"

#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"

namespace softscope {

namespace {

constexpr double lraNormEpsilon = 1e-5;

}  // namespace

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
