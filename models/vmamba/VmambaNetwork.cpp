#include "models/vmamba/VmambaNetwork.h"

#include "core/Error.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"
#include "models/scan/SelectiveScan.h"

#include <numeric>
#include <utility>

namespace softscope {

namespace {

constexpr double vmambaNormEpsilon = 1e-5;
constexpr int vmambaScanCount = 4;

/// Returns the tokens of a grid in the order in which the scans see them: row by row, column by
/// column, and both backwards.
std::vector<std::vector<int>> vmambaOrders(const TokenGrid& grid) {
  std::vector<int> rows(static_cast<std::size_t>(grid.count()));
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<int> columns;
  for (int column = 0; column < grid.width; ++column) {
    for (int row = 0; row < grid.height; ++row) columns.push_back(row * grid.width + column);
  }
  return {rows, columns, {rows.rbegin(), rows.rend()}, {columns.rbegin(), columns.rend()}};
}

/// Normalises the channels of a map.
torch::Tensor normedMap(const LayerNorm& norm, const torch::Tensor& map) {
  return norm.ptr()->forward(map.permute({0, 2, 3, 1})).permute({0, 3, 1, 2}).contiguous();
}

}  // namespace

VmambaProduct::VmambaProduct(torch::nn::Module& network, const std::string& path, int inputs,
                             int outputs, bool withBias, bool isMap) {
  weight_ = isMap ? registerParameterAt(network, path + ".weight", {outputs, inputs, 1, 1})
                  : registerParameterAt(network, path + ".weight", {outputs, inputs});
  if (withBias) bias_ = registerParameterAt(network, path + ".bias", {outputs});
}

torch::Tensor VmambaProduct::forward(const torch::Tensor& x) const {
  return linearProduct(x, weight_.flatten(1), bias_);
}

VmambaScans::VmambaScans(torch::nn::Module& network, std::string name,
                         const VmambaStageConfiguration& sizes,
                         const VmambaConfiguration& configuration)
    : name_(std::move(name)), sizes_(sizes), isGated_(configuration.isGated) {
  const std::string path = name_ + ".";
  const int inner = sizes.inner;
  const auto add = [&](const char* part, at::IntArrayRef shape) {
    return registerParameterAt(network, path + part, shape);
  };
  input_ = VmambaProduct(network, path + "in_proj", sizes.channels, isGated_ ? 2 * inner : inner,
                         false, configuration.storesMaps);
  convolution_ = registerAt(
      network, path + "conv2d",
      Convolution(depthwiseOptions(inner, sizes.filter, 1, configuration.hasConvolutionBias)));
  projection_ = add("x_proj_weight", {vmambaScanCount, sizes.ranks + 2 * sizes.states, inner});
  stepWeight_ = add("dt_projs_weight", {vmambaScanCount, inner, sizes.ranks});
  stepBias_ = add("dt_projs_bias", {vmambaScanCount, inner});
  logRates_ = add("A_logs", {vmambaScanCount * inner, sizes.states});
  skips_ = add("Ds", {vmambaScanCount * inner});
  norm_ = registerAt(network, path + "out_norm", LayerNorm(inner, vmambaNormEpsilon));
  output_ = VmambaProduct(network, path + "out_proj", inner, sizes.channels, false,
                          configuration.storesMaps);
}

torch::Tensor VmambaScans::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                   Recorder* recorder) const {
  const std::vector<torch::Tensor> parts = input_.forward(tokens).split(sizes_.inner, -1);
  const torch::Tensor value =
      at::silu(tokensOf(convolution_.ptr()->forward(mapOf(parts[0].contiguous(), grid))));
  const std::vector<std::vector<int>> orders = vmambaOrders(grid);
  std::vector<torch::Tensor> places;
  std::vector<torch::Tensor> scanned;
  for (const std::vector<int>& order : orders) {
    places.push_back(torch::tensor(order, torch::kInt64).to(value.device()));
    scanned.push_back(value.index_select(1, places.back()));
  }
  const torch::Tensor values = at::stack(scanned, 1);
  const SelectiveScan scan =
      projectSelectiveScan(values, projection_, stepWeight_, stepBias_,
                           logRates_.view({vmambaScanCount, sizes_.inner, -1}));
  if (recorder != nullptr) {
    AttentionDescription description;
    description.mechanism = "vmamba";
    description.queryGrid = grid;
    description.keyGrid = grid;
    description.gated = isGated_;
    description.beside = std::string("D V, a norm") + (isGated_ ? " and a gate" : "") +
                         " behind the sum of all scans, and each channel has a matrix of its own";
    recorder->record(AttentionRecord{
        .layer = name_, .description = std::move(description), .map = mapOfScans(scan, orders)});
  }
  const torch::Tensor attended = scanSelectively(scan, values, recorder);
  torch::Tensor inPicture = at::empty_like(attended);
  for (std::int64_t i = 0; i < vmambaScanCount; ++i) {
    inPicture.select(1, i).index_copy_(1, places[static_cast<std::size_t>(i)],
                                       attended.select(1, i));
  }
  SummedTerms terms;
  terms.attention = inPicture;
  terms.beside = value.unsqueeze(1) * skips_.view({vmambaScanCount, 1, sizes_.inner});
  terms.norm = norm_;
  if (isGated_) terms.gate = at::silu(parts[1]);
  return output_.forward(joinSummedTerms(terms, name_, output_.matrix(), recorder));
}

VmambaNetwork::VmambaNetwork(const VmambaConfiguration& configuration)
    : configuration_(configuration) {
  addStem();
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const VmambaStageConfiguration& sizes = configuration.stages[s];
    const std::string path = "layers." + std::to_string(s);
    Stage stage;
    for (int block = 0; block < sizes.depth; ++block) {
      stage.blocks.push_back(makeBlock(path + ".blocks." + std::to_string(block), sizes));
    }
    if (s + 1 < configuration.stages.size()) {
      stage.downsample = makeDownsample(path + ".downsample.", sizes.channels,
                                        configuration.stages[s + 1].channels);
    }
    stages_.push_back(std::move(stage));
  }
  const int channels = configuration.stages.back().channels;
  norm_ = registerAt(*this, "classifier.norm", LayerNorm(channels, vmambaNormEpsilon));
  if (configuration.classes > 0) {
    head_ = registerAt(*this, "classifier.head", Linear(channels, configuration.classes));
  }
}

void VmambaNetwork::addStem() {
  const auto add = [&](int place, const ConvolutionOptions& options) {
    const std::string path = "patch_embed.";
    return Reduction{registerAt(*this, path + std::to_string(place), Convolution(options)),
                     registerAt(*this, path + std::to_string(place + 2),
                                LayerNorm(options.outputs, vmambaNormEpsilon)),
                     {}};
  };
  const int outputs = configuration_.stages.front().channels;
  const int between = configuration_.stemChannels;
  if (between == 0) {
    stem1_ = add(0, {.inputs = 3, .outputs = outputs, .kernel = 4, .stride = 4});
    return;
  }
  stem1_ = add(0, {.inputs = 3, .outputs = between, .kernel = 3, .stride = 2, .padding = 1});
  stem2_ = add(5, {.inputs = between, .outputs = outputs, .kernel = 3, .stride = 2, .padding = 1});
}

VmambaNetwork::Block VmambaNetwork::makeBlock(const std::string& path,
                                              const VmambaStageConfiguration& sizes) {
  Block block;
  block.norm = registerAt(*this, path + ".norm", LayerNorm(sizes.channels, vmambaNormEpsilon));
  block.scans.emplace_back(*this, path + ".op", sizes, configuration_);
  if (sizes.hidden == 0) return block;
  const bool isMap = configuration_.storesMaps;
  block.norm2 = registerAt(*this, path + ".norm2", LayerNorm(sizes.channels, vmambaNormEpsilon));
  block.expand = VmambaProduct(*this, path + ".mlp.fc1", sizes.channels, sizes.hidden, true, isMap);
  block.contract =
      VmambaProduct(*this, path + ".mlp.fc2", sizes.hidden, sizes.channels, true, isMap);
  return block;
}

VmambaNetwork::Reduction VmambaNetwork::makeDownsample(const std::string& path, int inputs,
                                                       int outputs) {
  Reduction reduction;
  if (configuration_.mergesPatches) {
    reduction.norm = registerAt(*this, path + "norm", LayerNorm(4 * inputs, vmambaNormEpsilon));
    reduction.product = VmambaProduct(*this, path + "reduction", 4 * inputs, outputs, false,
                                      configuration_.storesMaps);
    return reduction;
  }
  reduction.convolution = registerAt(
      *this, path + "1",
      Convolution(ConvolutionOptions{
          .inputs = inputs, .outputs = outputs, .kernel = 3, .stride = 2, .padding = 1}));
  reduction.norm = registerAt(*this, path + "3", LayerNorm(outputs, vmambaNormEpsilon));
  return reduction;
}

torch::Tensor VmambaNetwork::embed(const torch::Tensor& picture) const {
  const torch::Tensor x = normedMap(stem1_.norm, stem1_.convolution.ptr()->forward(picture));
  if (stem2_.convolution.is_empty()) return x;
  return normedMap(stem2_.norm, stem2_.convolution.ptr()->forward(at::gelu(x)));
}

torch::Tensor VmambaNetwork::reduce(const Reduction& reduction, const torch::Tensor& map) const {
  if (!configuration_.mergesPatches) {
    return normedMap(reduction.norm, reduction.convolution.ptr()->forward(map));
  }
  const torch::Tensor even = at::constant_pad_nd(map, {0, map.size(3) % 2, 0, map.size(2) % 2});
  const auto corner = [&](std::int64_t row, std::int64_t column) {
    return even.slice(2, row, c10::nullopt, 2).slice(3, column, c10::nullopt, 2);
  };
  const torch::Tensor patches =
      at::cat({corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)}, 1).permute({0, 2, 3, 1});
  return reduction.product.forward(reduction.norm.ptr()->forward(patches))
      .permute({0, 3, 1, 2})
      .contiguous();
}

torch::Tensor VmambaNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor map = embed(picture);
  torch::Tensor tokens;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const TokenGrid grid = gridOf(map);
    tokens = tokensOf(map).contiguous();
    for (Block& block : stages_[s].blocks) {
      const VmambaScans& scans = block.scans.front();
      const torch::Tensor scanned = scans.forward(block.norm->forward(tokens), grid, recorder);
      recordAddition(recorder, scans.layer(), tokens, scanned);
      tokens = tokens + scanned;
      if (!block.norm2.is_empty()) {
        const torch::Tensor hidden = at::gelu(block.expand.forward(block.norm2->forward(tokens)));
        tokens = tokens + block.contract.forward(hidden);
      }
      recordTokens(recorder, scans.layer(), tokens, grid);
    }
    if (s + 1 < stages_.size()) map = reduce(stages_[s].downsample, mapOf(tokens, grid));
  }
  const torch::Tensor last = norm_->forward(tokens);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return last; });
    return {};
  }
  return head_->forward(last.mean(1));
}

void VmambaNetwork::checkInputSize(int height, int width) const {
  constexpr int smallest = 4;
  if (stem2_.convolution.is_empty()) return requireWholePatches(height, width, smallest);
  if (std::min(height, width) >= smallest) return;
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " is smaller than a patch of VMamba");
}

}  // namespace softscope
