#include "models/linearpvt/LinearPvtNetwork.h"

#include "core/Error.h"
#include "core/text/Words.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/StoredOptions.h"
#include "models/layers/OnlyInputSize.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace softscope {

namespace {

constexpr std::size_t pvtStages = 4;
constexpr std::array<int, pvtStages> publishedPvtChannels{64, 128, 320, 512};
constexpr std::array<int, pvtStages> publishedPvtMlpRatios{8, 8, 4, 4};
constexpr std::array<int, pvtStages> usualPatches{4, 2, 2, 2};
constexpr int publishedPvtHeadWidth = 64;
constexpr int publishedPvtFilter = 5;
constexpr int publishedPvtPicture = 224;

struct PublishedPvt {
  const char* size;
  std::array<int, pvtStages> depths;
};

constexpr PublishedPvt publishedPvts[] = {{"tiny", {2, 2, 2, 2}},
                                          {"small", {3, 4, 6, 3}},
                                          {"medium", {3, 4, 18, 3}},
                                          {"large", {3, 8, 27, 3}}};

/// Reads one stage from a network's shapes.
class PvtStageReader {
 public:
  PvtStageReader(const ShapeReader& shapes, std::size_t index)
      : shapes_(shapes), number_(std::to_string(index + 1)) {}

  std::string block(int index) const {
    return "block" + number_ + "." + std::to_string(index) + ".";
  }
  int depth() const {
    return shapes_.require(shapes_.count("block" + number_ + "."), "the blocks of " + stage());
  }
  std::string stage() const { return "stage " + number_; }
  std::optional<int> embedding(const char* name, int dimension) const {
    return shapes_.size({"patch_embed" + number_ + "." + name}, dimension);
  }
  std::optional<int> positions() const { return shapes_.size({"pos_embed" + number_}, 1); }
  /// Returns the first size of a tensor with one of these names in any block of the stage.
  std::optional<int> inBlocks(std::initializer_list<const char*> names, int dimension) const {
    const int blocks = depth();
    for (int index = 0; index < blocks; ++index) {
      for (const char* name : names) {
        const auto size = shapes_.size({block(index) + name}, dimension);
        if (size && *size > 0) return size;
      }
    }
    return std::nullopt;
  }

 private:
  const ShapeReader& shapes_;
  std::string number_;
};

/// Throws ModelError if the stage has none of the tensors that the linear attention adds to those
/// of the softmax, which the authors' option ATTN_TYPE (`LLSS`) puts in its place.
void refuseSoftmaxStage(const PvtStageReader& reader, const std::string& network) {
  const bool attends = reader.inBlocks({"attn.q.weight", "attn.qg.weight"}, 0).has_value();
  const bool isLinear = reader.inBlocks({"attn.scale", "attn.positional_encoding"}, 2).has_value();
  if (!attends || isLinear) return;
  throw ModelError("this is " + network + " with softmax attention in " + reader.stage() +
                   " (an S in its ATTN_TYPE), and of " + network +
                   " Softscope computes linear attention in every stage (LLLL) alone; " +
                   recordingAdvice());
}

LinearPvtStage readPvtStage(const ShapeReader& shapes, std::size_t index,
                            const std::string& network) {
  const PvtStageReader reader(shapes, index);
  LinearPvtStage stage;
  auto channels = reader.embedding("proj.weight", 0);
  if (!channels) channels = reader.embedding("norm.weight", 0);
  stage.channels = shapes.require(channels, "the channels of " + reader.stage());
  stage.depth = reader.depth();
  auto hidden = reader.inBlocks({"mlp.fc1.weight", "mlp.fc1.bias"}, 0);
  if (!hidden) hidden = reader.inBlocks({"mlp.fc2.weight"}, 1);
  stage.hidden = hidden.value_or(publishedPvtMlpRatios[index] * stage.channels);
  stage.patch = std::max(1, reader.embedding("proj.weight", 2).value_or(usualPatches[index]));
  const auto width = reader.inBlocks({"attn.dwc.weight", "attn.dwc.bias"}, 0);
  if (!width) refuseSoftmaxStage(reader, network);
  stage.filter = reader.inBlocks({"attn.dwc.weight"}, 2).value_or(stage.filter);
  if (stage.filter % 2 == 0) {
    throw ModelError("this looks like " + network + ", but the filters beside the attention of " +
                     reader.stage() + " are " + std::to_string(stage.filter) +
                     " wide, and only an odd width keeps the map's size; the file may be damaged");
  }
  stage.heads = headsOfWidth(network, stage.channels,
                             shapes.require(width, "the heads of " + reader.stage()));
  for (int block = 0; block < stage.depth; ++block) {
    const int ratio = shapes.size({reader.block(block) + "attn.sr.weight"}, 2).value_or(1);
    stage.ratios.push_back(std::max(1, ratio));
  }
  auto positions = reader.positions();
  if (!positions && stage.ratios.front() == 1) {
    positions = reader.inBlocks({"attn.positional_encoding"}, 1);
  }
  const std::string table = "positions of " + reader.stage();
  stage.side = requireSquare(shapes.require(positions, "the " + table), table);
  return stage;
}

template <typename Published>
bool haveSizes(const std::vector<LinearPvtStage>& stages, const Published& published,
               int (*sizeOf)(const LinearPvtStage&)) {
  return std::equal(stages.begin(), stages.end(), published.begin(), published.end(),
                    [&](const LinearPvtStage& stage, int size) { return sizeOf(stage) == size; });
}

bool isUsualStage(const LinearPvtStage& stage) {
  return stage.heads * publishedPvtHeadWidth == stage.channels &&
         stage.filter == publishedPvtFilter &&
         std::all_of(stage.ratios.begin(), stage.ratios.end(), [](int r) { return r == 1; });
}

/// Returns `tiny`, `small`, `medium` or `large` if channels, heads, depths and picture size are
/// those of a published PVT; nothing for others.
std::optional<std::string> publishedPvtSize(const LinearPvtConfiguration& configuration) {
  const auto& stages = configuration.stages;
  const bool usual =
      haveSizes(stages, publishedPvtChannels, [](const LinearPvtStage& s) { return s.channels; }) &&
      haveSizes(stages, publishedPvtMlpRatios,
                [](const LinearPvtStage& s) { return s.hidden / s.channels; }) &&
      std::all_of(stages.begin(), stages.end(), isUsualStage) &&
      configuration.pictureSide() == publishedPvtPicture;
  if (!usual) return std::nullopt;
  for (const PublishedPvt& published : publishedPvts) {
    if (haveSizes(stages, published.depths, [](const LinearPvtStage& s) { return s.depth; })) {
      return published.size;
    }
  }
  return std::nullopt;
}

constexpr double pvtEmbeddingEpsilon = 1e-5;
constexpr double pvtBlockEpsilon = 1e-6;

}  // namespace

LinearPvtConfiguration readLinearPvt(const ShapeReader& shapes, const std::string& network) {
  if (shapes.any("block", ".mlp.dwconv.dwconv.weight")) {
    throw ModelError("this is " + network + "v2, which differs from " + network +
                     " in more than names; of the two, Softscope opens " + network + "; " +
                     recordingAdvice());
  }
  LinearPvtConfiguration configuration;
  for (std::size_t index = 0; index < pvtStages; ++index) {
    configuration.stages.push_back(readPvtStage(shapes, index, network));
  }
  configuration.classes = shapes.size({"head.weight", "head.bias"}, 0).value_or(0);
  configuration.bias = shapes.any("block", ".attn.kv.bias");
  configuration.isPublished = publishedPvtSize(configuration).has_value();
  return configuration;
}

ModelSummary summaryOf(const LinearPvtConfiguration& configuration, const std::string& family,
                       const std::string& mechanism, int mapsOfHead) {
  ModelSummary summary;
  summary.family = family;
  const auto size = publishedPvtSize(configuration);
  summary.variant = size ? family + "_" + *size : "custom";
  summary.setOnlyMechanism(mechanism);
  summary.channels = configuration.stages.back().channels;
  summary.classes = configuration.classes;
  // The published evaluation squeezes the picture to a square before cropping.
  summary.transform.extent = InputTransform::Extent::SqueezedCrop;
  summary.transform.height = configuration.pictureSide();
  summary.transform.width = configuration.pictureSide();
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const LinearPvtStage& stage = configuration.stages[s];
    for (int block = 0; block < stage.depth; ++block) {
      summary.layers.push_back(
          {.name = "block" + std::to_string(s + 1) + "." + std::to_string(block) + ".attn",
           .mechanism = mechanism,
           .stage = static_cast<int>(s) + 1,
           .heads = mapsOfHead * stage.heads});
    }
    summary.heads.push_back(stage.heads);
  }
  return summary;
}

double resolvePvtOptions(const std::string& key, double usual, const std::string& network,
                         const LinearPvtConfiguration& configuration, const ModelHints& hints,
                         ModelSummary& summary) {
  resolveUsualLayers(network, pvtBlockEpsilon, configuration.isPublished, hints, summary);
  constexpr double most = 64;
  const std::string value =
      resolveStoredOption({.key = key,
                           .usual = numberText(usual),
                           .isCertain = configuration.isPublished,
                           .reason = "no published network has these sizes, and no weight tells it",
                           .network = network,
                           .computed = {"a number from 0 to " + numberText(most)},
                           .accepts =
                               [](const std::string& text) {
                                 const auto number = parseNumber(text);
                                 return number && *number >= 0 && *number <= most;
                               }},
                          hints, summary);
  return parseNumber(value).value_or(usual);
}

LinearPvtNetwork::LinearPvtNetwork(const LinearPvtConfiguration& configuration,
                                   const MakeAttention& makeAttention)
    : pictureSide_(configuration.pictureSide()) {
  for (std::size_t index = 0; index < configuration.stages.size(); ++index) {
    stages_.push_back(makeStage(index, configuration, makeAttention));
  }
  if (configuration.classes == 0) return;
  head_ =
      register_module("head", Linear(configuration.stages.back().channels, configuration.classes));
}

LinearPvtNetwork::Stage LinearPvtNetwork::makeStage(std::size_t index,
                                                    const LinearPvtConfiguration& configuration,
                                                    const MakeAttention& makeAttention) {
  const LinearPvtStage& sizes = configuration.stages[index];
  const std::string number = std::to_string(index + 1);
  const int channels = sizes.channels;
  Stage stage;
  Group embedding = register_module("patch_embed" + number, Group());
  stage.embedding = embedding->add(
      "proj", Convolution(ConvolutionOptions{
                  .inputs = index == 0 ? 3 : configuration.stages[index - 1].channels,
                  .outputs = channels,
                  .kernel = sizes.patch,
                  .stride = sizes.patch}));
  stage.norm = embedding->add("norm", LayerNorm(channels, pvtEmbeddingEpsilon));
  stage.positions = register_parameter("pos_embed" + number,
                                       torch::empty({1, sizes.side * sizes.side, channels}));
  Group blocks = register_module("block" + number, Group());
  for (int block = 0; block < sizes.depth; ++block) {
    const std::string name = std::to_string(block);
    const int ratio = sizes.ratios[static_cast<std::size_t>(block)];
    const int keySide = sizes.side / ratio;
    const auto attention = makeAttention({.name = "block" + number + "." + name + ".attn",
                                          .channels = channels,
                                          .heads = sizes.heads,
                                          .ratio = ratio,
                                          .keys = keySide * keySide,
                                          .bias = configuration.bias,
                                          .filter = sizes.filter});
    stage.blocks.push_back(blocks->add(
        name, TransformerBlock<LayerNorm>(attention, channels, sizes.hidden,
                                          [&] { return LayerNorm(channels, pvtBlockEpsilon); })));
  }
  return stage;
}

torch::Tensor LinearPvtNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor map = picture;
  for (Stage& stage : stages_) {
    map = stage.embedding->forward(map);
    const TokenGrid grid = gridOf(map);
    torch::Tensor tokens = stage.norm->forward(tokensOf(map).contiguous()) + stage.positions;
    for (auto& block : stage.blocks) tokens = block->forward(tokens, grid, recorder);
    map = mapOf(tokens, grid);
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokensOf(map); });
    return {};
  }
  return head_->forward(map.mean(at::IntArrayRef{2, 3}));
}

void LinearPvtNetwork::checkInputSize(int height, int width) const {
  requireOnlyInputSize(height, width, pictureSide_);
}

}  // namespace softscope
