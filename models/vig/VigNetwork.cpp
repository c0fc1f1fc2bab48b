#include "models/vig/VigNetwork.h"

#include "core/attention/GatedScanMap.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"

#include <cmath>
#include <utility>

namespace softscope {

namespace {

constexpr double vigNormEpsilon = 1e-6;
constexpr double vigStemEpsilon = 1e-5;
/// Divides the logarithms of the gates.
constexpr double vigGateDivisor = 16;
/// The published kernel halves the sum of both directions, and its caller halves it again outside
/// training.
constexpr double vigDirectionShare = 0.25;

/// Returns one direction's sums: state_t = gate_t state_(t - 1) + k_t v_t, multiplied by q_t, with
/// tokens in the order of the direction.
torch::Tensor gatedSums(const torch::Tensor& query, const torch::Tensor& key,
                        const torch::Tensor& value, const torch::Tensor& gates,
                        const Recorder* recorder) {
  constexpr std::int64_t tokensBetweenChecks = 64;
  torch::Tensor state =
      at::zeros({query.size(0), query.size(1), key.size(3), value.size(3)}, value.options());
  const torch::Tensor result = at::empty_like(value);
  for (std::int64_t token = 0; token < value.size(2); ++token) {
    if (recorder != nullptr && token % tokensBetweenChecks == 0) recorder->throwIfCancelled();
    const auto of = [token](const torch::Tensor& x) { return x.select(2, token); };
    // A gradient needs the former state as it was.
    state = state * of(gates).unsqueeze(-1);
    state.addcmul_(of(key).unsqueeze(-1), of(value).unsqueeze(-2));
    result.select(2, token).copy_(at::matmul(of(query).unsqueeze(-2), state).squeeze(-2));
  }
  return result;
}

torch::Tensor normedStemMap(const LayerNorm& norm, const torch::Tensor& map) {
  return norm.ptr()->forward(map.permute({0, 2, 3, 1})).permute({0, 3, 1, 2}).contiguous();
}

}  // namespace

VigAttentionImpl::VigAttentionImpl(std::string name, const VigConfiguration& sizes)
    : name_(std::move(name)), sizes_(sizes) {
  const int channels = sizes.channels;
  convolution_ = register_module("in_proj", Group())
                     ->add("0", Convolution(depthwiseOptions(channels, 3, 1, false)));
  queryKeyValue_ =
      register_module("qkv_proj", Linear(channels, 2 * sizes.keyChannels + channels, false));
  Group gates = register_module("gk_proj", Group());
  gates1_ = gates->add("0", Linear(channels, sizes.gateRanks, false));
  gates2_ = gates->add("1", Linear(sizes.gateRanks, 2 * sizes.keyChannels));
  output_ = register_module("o_proj", Linear(channels, channels, false));
  globalNorm_ = register_module("g_norm", RmsNorm(sizes.headWidth, vigNormEpsilon));
  localNorm_ = register_module("l_norm", RmsNorm(sizes.headWidth, vigNormEpsilon));
  mixture_ = register_module("g_proj", Linear(channels, channels));
}

void VigAttentionImpl::record(const Factors& factors, const TokenGrid& grid,
                              Recorder* recorder) const {
  AttentionDescription description;
  description.mechanism = "gla";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.gated = true;
  description.beside = "the convolved tokens, with which a gate mixes its normalised result";
  const auto build = [](const AttentionDescription& described, const BuiltTensors::Parts& parts) {
    return std::make_shared<GatedScanMap>(
        described, GatedScanMap::Parts{parts[0], parts[1], parts[2], parts[3]});
  };
  recorder->record(
      AttentionRecord{.layer = name_,
                      .description = std::move(description),
                      .map = BuiltTensors{{factors.query[0] * vigDirectionShare, factors.key[0],
                                           factors.forward[0], factors.backward[0]},
                                          build},
                      .queryL1 = factors.query[0].abs().sum(-1),
                      .keyL1 = factors.key[0].abs().sum(-1)});
}

torch::Tensor VigAttentionImpl::scan(const Factors& factors, const torch::Tensor& value,
                                     const Recorder* recorder) const {
  const torch::Tensor ahead =
      gatedSums(factors.query, factors.key, value, factors.forward.exp(), recorder);
  const auto flipped = [](const torch::Tensor& x) { return x.flip(2); };
  const torch::Tensor back = gatedSums(flipped(factors.query), flipped(factors.key), flipped(value),
                                       flipped(factors.backward.exp()), recorder);
  return (ahead + flipped(back)) * vigDirectionShare;
}

torch::Tensor VigAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                        Recorder* recorder) {
  const auto activatedIf = [](bool isActivated, const torch::Tensor& x) {
    return isActivated ? at::silu(x) : x;
  };
  const int heads = sizes_.heads();
  const torch::Tensor local =
      activatedIf(sizes_.activatesLocal, tokensOf(convolution_->forward(mapOf(tokens, grid))))
          .contiguous();
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(local).split_with_sizes(
      {sizes_.keyChannels, sizes_.keyChannels, sizes_.channels}, -1);
  const torch::Tensor gates =
      at::log_sigmoid(gates2_->forward(gates1_->forward(local))) / vigGateDivisor;
  const std::vector<torch::Tensor> directions = gates.chunk(2, -1);
  const torch::Tensor query = splitHeads(parts[0], heads);
  const Factors factors{query / std::sqrt(static_cast<double>(query.size(-1))),
                        splitHeads(parts[1], heads), splitHeads(directions[0], heads),
                        splitHeads(directions[1], heads)};
  if (recorder != nullptr) record(factors, grid, recorder);
  const torch::Tensor attended = scan(factors, splitHeads(parts[2], heads), recorder);
  const torch::Tensor share = splitHeads(at::sigmoid(mixture_->forward(local)), heads);
  // Norm, gate and silu multiply the terms, once their sums are known.
  const torch::Tensor weight = globalNorm_->scaleOf(attended) * globalNorm_->weight * share;
  const torch::Tensor beside = localNorm_->forward(splitHeads(local, heads)) * (1 - share);
  if (!looksAtTerms(recorder)) {
    return output_->forward(
        joinHeads(activatedIf(sizes_.activatesSum, attended * weight + beside)));
  }
  HeadTerms terms{attended * weight, beside};
  if (!sizes_.activatesSum) {
    return output_->forward(joinTerms(terms, name_, output_->weight, recorder));
  }
  const torch::Tensor slope = at::sigmoid(terms.attention + beside);
  terms.gate = slope;
  const torch::Tensor joined = joinTerms(terms, name_, output_->weight, recorder);
  return output_->forward(at::silu(joined / joinHeads(slope)));
}

VigNetwork::VigNetwork(const VigConfiguration& configuration) : configuration_(configuration) {
  const int channels = configuration.channels;
  const int between = configuration.stemChannels;
  const int kernel = configuration.stemKernel;
  positions_ = register_parameter(
      "pos_embed", torch::empty({1, configuration.side * configuration.side, channels}));
  const std::string stem = "patch_embed.proj.";
  stem1_ = registerAt(
      *this, stem + "0",
      Convolution(ConvolutionOptions{
          .inputs = 3, .outputs = between, .kernel = kernel, .stride = kernel - 1, .padding = 1}));
  stemNorm1_ = registerAt(*this, stem + "1", LayerNorm(between, vigStemEpsilon));
  stem2_ = registerAt(
      *this, stem + "3",
      Convolution(ConvolutionOptions{
          .inputs = between, .outputs = channels, .kernel = 3, .stride = 2, .padding = 1}));
  stemNorm2_ = registerAt(*this, stem + "4", LayerNorm(channels, vigStemEpsilon));
  for (int i = 0; i < configuration.depth; ++i) {
    const std::string path = "blocks." + std::to_string(i) + ".";
    Block block;
    block.norm1 = registerAt(*this, path + "attn_norm", RmsNorm(channels, vigNormEpsilon));
    block.attention = registerAt(*this, path + "attn", VigAttention(path + "attn", configuration));
    block.norm2 = registerAt(*this, path + "mlp_norm", RmsNorm(channels, vigNormEpsilon));
    block.expand = registerAt(*this, path + "mlp.gate_proj",
                              Linear(channels, 2 * configuration.hidden, false));
    block.contract =
        registerAt(*this, path + "mlp.down_proj", Linear(configuration.hidden, channels, false));
    blocks_.push_back(block);
  }
  norm_ = register_module("norm", RmsNorm(channels, vigNormEpsilon));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(channels, configuration.classes));
  }
}

torch::Tensor VigNetwork::embed(const torch::Tensor& picture) {
  const torch::Tensor x = at::silu(normedStemMap(stemNorm1_, stem1_->forward(picture)));
  const torch::Tensor map = normedStemMap(stemNorm2_, stem2_->forward(x));
  return configuration_.activatesStem ? at::silu(map) : map;
}

torch::Tensor VigNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embed(picture);
  const TokenGrid grid = gridOf(map);
  torch::Tensor tokens = tokensOf(map) + positions_;
  for (Block& block : blocks_) {
    const torch::Tensor attended =
        block.attention->forward(block.norm1->forward(tokens), grid, recorder);
    recordAddition(recorder, block.attention->layer(), tokens, attended);
    tokens = tokens + attended;
    const std::vector<torch::Tensor> hidden =
        block.expand->forward(block.norm2->forward(tokens)).chunk(2, -1);
    tokens = tokens + block.contract->forward(at::silu(hidden[0]) * hidden[1]);
    recordTokens(recorder, block.attention->layer(), tokens, grid);
  }
  const torch::Tensor last = norm_->forward(tokens);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return last; });
    return {};
  }
  return head_->forward(last.mean(1));
}

void VigNetwork::checkInputSize(int height, int width) const {
  requireOnlyInputSize(height, width, configuration_.side * configuration_.patch());
}

}  // namespace softscope
