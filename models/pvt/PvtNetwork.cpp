#include "models/pvt/PvtNetwork.h"

#include "core/Error.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/identify/ParameterNames.h"
#include "models/identify/ShapeReader.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

#include <optional>

namespace softscope {

namespace {

/// Returns what precedes `encoder.layers.` in Hugging Face's names; nothing for others.
std::optional<std::string> huggingFacePvt(const StateDict& state) {
  const auto before = textBefore(state, "encoder.layers.0.patch_embedding.");
  return before && anyContains(state, ".mlp.dwconv.dwconv.") ? before : std::nullopt;
}

/// The linear attentions that others put into PVTv2 have a depthwise convolution of V.
bool hasTimmPvtNames(const ShapeReader& shapes) {
  return shapes.any("patch_embed.proj.") && shapes.any("stages.0.blocks.", ".mlp.dwconv.weight") &&
         shapes.any("stages.0.blocks.", ".attn.kv.weight");
}

bool hasAuthorsPvtNames(const ShapeReader& shapes) {
  return shapes.any("patch_embed1.proj.") && shapes.any("block1.", ".mlp.dwconv.dwconv.weight") &&
         shapes.any("block1.", ".attn.kv.weight") && !shapes.any("block1.", ".attn.dwc.weight") &&
         !shapes.any("block1.", ".attn.positional_encoding") &&
         !shapes.any("block1.", ".attn.agent_bias");
}

PvtNames huggingFacePvtNames(const std::string& before) {
  PvtNames names{.library = PvtNames::Library::HuggingFace, .stages = before + "encoder.layers."};
  names.norm1 = "layer_norm_1";
  names.attention = "attention";
  names.query = "attention.query";
  names.keyValue.clear();
  names.key = "attention.key";
  names.value = "attention.value";
  names.reduction = "attention.spatial_reduction";
  names.reductionNorm = "attention.layer_norm";
  names.projection = "attention.proj";
  names.norm2 = "layer_norm_2";
  names.expand = "mlp.dense1";
  names.contract = "mlp.dense2";
  names.head = "classifier";
  return names;
}

/// Side of the grid that keys are averaged to in PVTv2's linear attention.
constexpr int pooledKeys = 7;

}  // namespace

std::string PvtNames::embedding(int stage) const {
  if (library == Library::Authors) return "patch_embed" + std::to_string(stage + 1) + ".proj";
  if (library == Library::HuggingFace) {
    return stages + std::to_string(stage) + ".patch_embedding.proj";
  }
  return stage == 0 ? "patch_embed.proj" : stages + std::to_string(stage) + ".downsample.proj";
}

std::string PvtNames::embeddingNorm(int stage) const {
  const std::string path = embedding(stage);
  const std::string place = path.substr(0, path.rfind('.') + 1);
  return place + (library == Library::HuggingFace ? "layer_norm" : "norm");
}

std::string PvtNames::blocks(int stage) const {
  if (library == Library::Authors) return stages + std::to_string(stage + 1) + ".";
  return stages + std::to_string(stage) + ".blocks.";
}

std::string PvtNames::norm(int stage) const {
  if (library == Library::Authors) return "norm" + std::to_string(stage + 1);
  return stages + std::to_string(stage) +
         (library == Library::HuggingFace ? ".layer_norm" : ".norm");
}

bool hasPvtNames(const StateDict& state) {
  const ShapeReader shapes(state, "PVTv2");
  return huggingFacePvt(state).has_value() || hasTimmPvtNames(shapes) || hasAuthorsPvtNames(shapes);
}

PvtNames pvtNamesOf(const StateDict& state) {
  if (const auto before = huggingFacePvt(state)) return huggingFacePvtNames(*before);
  if (hasAuthorsPvtNames(ShapeReader(state, "PVTv2"))) return {.stages = "block"};
  PvtNames names{.library = PvtNames::Library::Timm, .stages = "stages."};
  names.depthwise = "mlp.dwconv";
  return names;
}

PvtBlock::PvtBlock(torch::nn::Module& network, const std::string& path,
                   const PvtConfiguration& configuration, const PvtStage& stage)
    : layer_(path + "." + configuration.names.attention),
      heads_(stage.heads),
      isLinear_(configuration.isLinear),
      activation_(configuration.activation) {
  const PvtNames& names = configuration.names;
  const int channels = stage.channels;
  const auto add = [&](const std::string& name, auto module) {
    return registerAt(network, path + "." + name, module);
  };
  const bool bias = configuration.queryBias;
  norm1_ = add(names.norm1, LayerNorm(channels, configuration.epsilon));
  query_ = add(names.query, Linear(channels, channels, bias));
  if (names.keyValue.empty()) {
    key_ = add(names.key, Linear(channels, channels, bias));
    value_ = add(names.value, Linear(channels, channels, bias));
  } else {
    keyValue_ = add(names.keyValue, Linear(channels, 2 * channels, bias));
  }
  if (stage.reduction > 0) {
    reduction_ = add(names.reduction, Convolution(ConvolutionOptions{.inputs = channels,
                                                                     .outputs = channels,
                                                                     .kernel = stage.reduction,
                                                                     .stride = stage.reduction}));
    reductionNorm_ = add(names.reductionNorm, LayerNorm(channels, configuration.innerEpsilon));
  }
  projection_ = add(names.projection, Linear(channels, channels));
  norm2_ = add(names.norm2, LayerNorm(channels, configuration.epsilon));
  expand_ = add(names.expand, Linear(channels, stage.hidden));
  depthwise_ = add(names.depthwise, Convolution(ConvolutionOptions{.inputs = stage.hidden,
                                                                   .outputs = stage.hidden,
                                                                   .kernel = 3,
                                                                   .padding = 1,
                                                                   .groups = stage.hidden}));
  contract_ = add(names.contract, Linear(stage.hidden, channels));
}

torch::Tensor PvtBlock::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                Recorder* recorder) {
  const torch::Tensor attended = attend(norm1_->forward(tokens), grid, recorder);
  recordAddition(recorder, layer_, tokens, attended);
  const torch::Tensor x = tokens + attended;
  return recordTokens(recorder, layer_, x + mlp(norm2_->forward(x), grid), grid);
}

PvtBlock::Keys PvtBlock::reduce(const torch::Tensor& tokens, const TokenGrid& grid) {
  if (reduction_.is_empty()) return {tokens, grid};
  torch::Tensor map = mapOf(tokens, grid);
  if (isLinear_) map = at::adaptive_avg_pool2d(map, {pooledKeys, pooledKeys});
  map = reduction_->forward(map);
  const torch::Tensor keys = reductionNorm_->forward(tokensOf(map).contiguous());
  return {isLinear_ ? at::gelu(keys) : keys, gridOf(map)};
}

torch::Tensor PvtBlock::attend(const torch::Tensor& tokens, const TokenGrid& grid,
                               Recorder* recorder) {
  const Keys keys = reduce(tokens, grid);
  const std::vector<torch::Tensor> keyValue =
      keyValue_.is_empty()
          ? std::vector<torch::Tensor>{key_->forward(keys.tokens), value_->forward(keys.tokens)}
          : keyValue_->forward(keys.tokens).chunk(2, -1);
  const torch::Tensor query = splitHeads(query_->forward(tokens), heads_);
  AttentionDescription description;
  description.mechanism = "softmax";
  description.queryGrid = grid;
  description.keyGrid = keys.grid;
  const torch::Tensor attended =
      softmaxAttention(query, splitHeads(keyValue[0], heads_), splitHeads(keyValue[1], heads_),
                       inverseRootOfWidth(query), layer_, description, recorder);
  return projection_->forward(joinTerms({attended, {}}, layer_, projection_->weight, recorder));
}

torch::Tensor PvtBlock::mlp(const torch::Tensor& tokens, const TokenGrid& grid) {
  const torch::Tensor hidden =
      expand_->forward(tokens, isLinear_ ? Activation::Relu : Activation::None);
  const torch::Tensor convolved = depthwise_->forward(mapOf(hidden, grid), activation_);
  return contract_->forward(tokensOf(convolved));
}

PvtNetwork::PvtNetwork(const PvtConfiguration& configuration) : configuration_(configuration) {
  const PvtNames& names = configuration.names;
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const PvtStage& sizes = configuration.stages[s];
    const int index = static_cast<int>(s);
    Stage stage;
    stage.embedding = registerAt(
        *this, names.embedding(index),
        Convolution(ConvolutionOptions{.inputs = s == 0 ? 3 : configuration.stages[s - 1].channels,
                                       .outputs = sizes.channels,
                                       .kernel = sizes.kernel,
                                       .stride = sizes.stride,
                                       .padding = sizes.kernel / 2}));
    stage.embeddingNorm = registerAt(*this, names.embeddingNorm(index),
                                     LayerNorm(sizes.channels, configuration.innerEpsilon));
    for (int block = 0; block < sizes.depth; ++block) {
      stage.blocks.emplace_back(*this, names.blocks(index) + std::to_string(block), configuration,
                                sizes);
    }
    stage.norm =
        registerAt(*this, names.norm(index), LayerNorm(sizes.channels, configuration.epsilon));
    stages_.push_back(std::move(stage));
  }
  if (configuration.classes == 0) return;
  head_ = registerAt(*this, names.head,
                     Linear(configuration.stages.back().channels, configuration.classes));
}

torch::Tensor PvtNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor map = picture;
  torch::Tensor tokens;
  for (Stage& stage : stages_) {
    map = stage.embedding->forward(map);
    const TokenGrid grid = gridOf(map);
    tokens = stage.embeddingNorm->forward(tokensOf(map).contiguous());
    for (PvtBlock& block : stage.blocks) tokens = block.forward(tokens, grid, recorder);
    tokens = stage.norm->forward(tokens);
    map = mapOf(tokens, grid);
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokens; });
    return {};
  }
  return head_->forward(tokens.mean(1));
}

void PvtNetwork::checkInputSize(int height, int width) const {
  TokenGrid grid{height, width};
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const PvtStage& stage = configuration_.stages[s];
    const auto strided = [&](int side) {
      return (side + 2 * (stage.kernel / 2) - stage.kernel) / stage.stride + 1;
    };
    grid = {strided(grid.height), strided(grid.width)};
    const int least = configuration_.isLinear ? 1 : std::max(1, stage.reduction);
    if (height > 0 && width > 0 && grid.height >= least && grid.width >= least) continue;
    throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                          " is too small for this model: stage " + std::to_string(s + 1) +
                          " would have " + std::to_string(grid.height) + " x " +
                          std::to_string(grid.width) + " tokens, and its keys stand for " +
                          std::to_string(least) + " x " + std::to_string(least) +
                          " of them; choose a larger size");
  }
}

}  // namespace softscope
