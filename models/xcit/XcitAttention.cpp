#include "models/xcit/XcitAttention.h"

#include "models/attention/MechanismImplementation.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Products.h"

#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Returns the l2 norm of each channel over the tokens, with torch's own lower bound: [B, heads, n,
/// d] -> [B, heads, 1, d].
torch::Tensor channelLength(const torch::Tensor& x) {
  constexpr double epsilon = 1e-12;
  return x.norm(2, {-2}, true).clamp_min(epsilon);
}

AttentionOperator makeCrossCovarianceOperator(const CostRequest& request) {
  const torch::Tensor temperature = at::ones({request.heads, 1, 1}, costOptions(request));
  return [temperature](const torch::Tensor& query, const torch::Tensor& key,
                       const torch::Tensor& value) {
    return crossCovarianceAttention(query, key, value, temperature, {}, nullptr);
  };
}

std::int64_t channelMatrixNumbers(const CostRequest& request) {
  return headWidth(request) * headWidth(request);
}

// The smallest norm that a channel is divided by in SimA's published class attention.
constexpr double classEpsilon = 1e-6;

}  // namespace

torch::Tensor crossCovarianceAttention(const torch::Tensor& query, const torch::Tensor& key,
                                       const torch::Tensor& value, const torch::Tensor& temperature,
                                       const std::string& layer, Recorder* recorder) {
  // The d x d product is divided by the norms, instead of the n x d factors.
  const torch::Tensor lengths = channelLength(query).transpose(-1, -2).mul(channelLength(key));
  const torch::Tensor products = matrixProduct(query.transpose(-1, -2), key);
  const torch::Tensor attention = products.div(lengths).mul(temperature).softmax(-1);
  if (recorder != nullptr) {
    AttentionRecord record;
    record.layer = layer;
    record.description.mechanism = "xca_channel";
    record.map = DenseTensors{attention[0]};
    recorder->record(std::move(record));
  }
  return matrixProduct(value, attention.transpose(-1, -2));
}

MechanismImplementation crossCovarianceImplementation() {
  return {.mechanism = &mechanismNamed("xca_channel"),
          .operators = {{"xca_channel", makeCrossCovarianceOperator, channelMatrixNumbers}}};
}

std::string mechanismName(XcitMechanism mechanism) {
  switch (mechanism) {
    case XcitMechanism::Channel:
      return "xca_channel";
    case XcitMechanism::Softmax:
      return "softmax";
    case XcitMechanism::Sima:
    case XcitMechanism::SimaL2:
    case XcitMechanism::SimaUnnormalised:
      break;
  }
  return mechanismName(*simaNormOf(mechanism));
}

std::string classMechanismName(XcitMechanism mechanism) {
  return (simaNormOf(mechanism) ? mechanismName(mechanism) : "softmax") + "_class";
}

std::optional<SimaNorm> simaNormOf(XcitMechanism mechanism) {
  switch (mechanism) {
    case XcitMechanism::Sima:
      return SimaNorm::L1;
    case XcitMechanism::SimaL2:
      return SimaNorm::L2;
    case XcitMechanism::SimaUnnormalised:
      return SimaNorm::None;
    case XcitMechanism::Channel:
    case XcitMechanism::Softmax:
      break;
  }
  return std::nullopt;
}

XcitAttentionImpl::XcitAttentionImpl(const XcitAttentionOptions& options) : options_(options) {
  const int channels = options.channels;
  queryKeyValue_ = register_module("qkv", Linear(channels, 3 * channels, options.queryBias));
  projection_ = register_module("proj", Linear(channels, channels));
  if (options.mechanism == XcitMechanism::Channel) {
    temperature_ = register_parameter("temperature", torch::empty({options.heads, 1, 1}));
  }
}

torch::Tensor XcitAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                         Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], options_.heads);
  const torch::Tensor key = splitHeads(parts[1], options_.heads);
  const torch::Tensor value = splitHeads(parts[2], options_.heads);
  AttentionDescription description;
  description.mechanism = mechanismName(options_.mechanism);
  description.queryGrid = grid;
  description.keyGrid = grid;
  torch::Tensor attended;
  if (const auto norm = simaNormOf(options_.mechanism)) {
    attended = simaAttention(query, key, value, *norm, options_.name, description, recorder);
  } else if (options_.mechanism == XcitMechanism::Channel) {
    attended = crossCovarianceAttention(query, key, value, temperature_, options_.name, recorder);
  } else {
    attended = softmaxAttention(query, key, value, inverseRootOfWidth(query), options_.name,
                                description, recorder);
  }
  return projection_->forward(
      joinTerms({attended, {}}, options_.name, projection_->weight, recorder));
}

XcitClassAttentionImpl::XcitClassAttentionImpl(const XcitAttentionOptions& options)
    : options_(options) {
  const int channels = options.channels;
  if (options.isSplit) {
    for (const char* name : {"q", "k", "v"}) {
      split_.push_back(register_module(name, Linear(channels, channels, options.queryBias)));
    }
  } else {
    queryKeyValue_ = register_module("qkv", Linear(channels, 3 * channels, options.queryBias));
  }
  projection_ = register_module("proj", Linear(channels, channels));
}

torch::Tensor XcitClassAttentionImpl::project(const torch::Tensor& tokens, int part) const {
  if (!split_.empty()) {
    return splitHeads(split_[static_cast<std::size_t>(part)]->forward(tokens), options_.heads);
  }
  const std::int64_t begin = static_cast<std::int64_t>(part) * options_.channels;
  const std::int64_t end = begin + options_.channels;
  const torch::Tensor& bias = queryKeyValue_->bias;
  return splitHeads(linearProduct(tokens, queryKeyValue_->weight.slice(0, begin, end),
                                  bias.defined() ? bias.slice(0, begin, end) : bias),
                    options_.heads);
}

torch::Tensor XcitClassAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                              Recorder* recorder) {
  const torch::Tensor key = project(tokens, 1);
  const torch::Tensor value = project(tokens, 2);
  torch::Tensor query;
  torch::Tensor normalKey = key;
  torch::Tensor attention;
  if (const auto norm = simaNormOf(options_.mechanism)) {
    const torch::Tensor queries = project(tokens, 0);
    query = queries.slice(2, 0, 1).div(channelNorms(queries, *norm, classEpsilon));
    normalKey = key.div(channelNorms(key, *norm, classEpsilon));
    attention = matrixProduct(query, normalKey.transpose(-1, -2));
  } else {
    query = project(tokens.slice(1, 0, 1), 0);
    attention =
        matrixProduct(query, key.transpose(-1, -2)).mul_(inverseRootOfWidth(query)).softmax(-1);
  }
  if (recorder != nullptr) record(attention, query, normalKey, value, grid, recorder);
  return projection_->forward(joinTerms({matrixProduct(attention, value), {}}, options_.name,
                                        projection_->weight, recorder));
}

void XcitClassAttentionImpl::record(const torch::Tensor& attention, const torch::Tensor& query,
                                    const torch::Tensor& key, const torch::Tensor& value,
                                    const TokenGrid& grid, Recorder* recorder) const {
  AttentionRecord record;
  record.layer = options_.name;
  record.description.mechanism = classMechanismName(options_.mechanism);
  record.description.keyGrid = grid;
  record.description.prefixTokens = 1;
  if (simaNormOf(options_.mechanism)) {
    record.description.parameters["D"] = static_cast<double>(key.size(-1));
  }
  record.map = DenseTensors{attention[0]};
  record.queryL1 = query[0].abs().sum(-1);
  record.keyL1 = key[0].abs().sum(-1);
  record.value = value[0];
  recorder->record(std::move(record));
}

}  // namespace softscope
