#include "models/structure/StructureAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/attention/MixedSoftmax.h"
#include "models/attention/PerformerAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/Layers.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"

#include <cmath>
#include <utility>

namespace softscope {

namespace {

using PackedOrder = StructureSettings::PackedOrder;

std::vector<std::string> namesOfOtherTokens(const TransformerStructure& structure,
                                            const StructureSettings& settings) {
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= structure.registerCount; ++i) {
    names.push_back("register " + std::to_string(i));
  }
  if (structure.classToken) {
    names.insert(settings.isClassTokenLast ? names.end() : names.begin(), "class token");
  }
  return names;
}

/// Returns the features of Performer's generalised attention as the package performer-pytorch
/// computes them: ReLU(W x') + 1e-3 with x' = d^(-1/4) x, [B, heads, n, m].
torch::Tensor reluFeatures(const torch::Tensor& x, const torch::Tensor& projection) {
  const torch::Tensor scaled = x * std::sqrt(inverseRootOfWidth(x));
  return matrixProduct(scaled, projection.transpose(0, 1)).relu() + 1e-3;
}

}  // namespace

StructureAttention::StructureAttention(torch::nn::Module& network, const std::string& block,
                                       const TransformerStructure& structure,
                                       const StructureSettings& settings)
    : layer_(block + structure.block.attention.path),
      structure_(structure.block.attention),
      settings_(settings),
      channels_(structure.channels) {
  for (const auto& parts : structure_.projections) {
    std::vector<StructureProduct>& products = projections_.emplace_back();
    for (const ProductPart& part : parts) products.emplace_back(network, block, part);
  }
  if (structure_.output) output_.emplace(network, block, *structure_.output);
  const auto addNorm = [&](const std::optional<NormPart>& part) -> std::optional<StructureNorm> {
    if (!part) return std::nullopt;
    return StructureNorm(network, block, *part, structure_.inner / structure_.heads,
                         settings.epsilonOfBlocks,
                         kindOfNorm(*part, settings, settings.withoutBiasOfHeads));
  };
  queryNorm_ = addNorm(structure_.queryNorm);
  keyNorm_ = addNorm(structure_.keyNorm);
  for (const std::string& name : structure_.extraTensors) {
    extras_.push_back(registerParameterAt(network, block + name, structure_.extraShape));
  }
  for (const std::string& name : structure_.extraBiases) {
    extraBiases_.push_back(
        name.empty() ? torch::Tensor()
                     : registerParameterAt(network, block + name, {structure_.extraShape.front()}));
  }
  described_.mechanism = "softmax";
  const std::int64_t behind = tokensBehind(structure, settings);
  described_.prefixTokens = static_cast<int>(structure.otherTokens() - behind);
  described_.suffixTokens = static_cast<int>(behind);
  described_.prefixNames = namesOfOtherTokens(structure, settings);
}

/// Returns what a packed matrix made, part by part, each [B, heads, n, d].
std::vector<torch::Tensor> StructureAttention::unpacked(const torch::Tensor& packed,
                                                        std::int64_t parts) const {
  const std::int64_t heads = settings_.heads;
  const std::int64_t width = structure_.inner / heads;
  const std::int64_t batch = packed.size(0);
  const std::int64_t count = packed.size(1);
  const auto grouped = [&](at::IntArrayRef sizes, std::int64_t of) {
    std::vector<torch::Tensor> each = packed.view(sizes).unbind(of);
    for (torch::Tensor& part : each) part = part.transpose(1, 2);
    return each;
  };
  switch (settings_.packed) {
    case PackedOrder::HeadsFirst:
      return grouped({batch, count, heads, parts, width}, 3);
    case PackedOrder::HeadsThenWidth:
      return grouped({batch, count, heads, width, parts}, 4);
    case PackedOrder::WidthFirst: {
      std::vector<torch::Tensor> each = packed.view({batch, count, width, parts, heads}).unbind(3);
      for (torch::Tensor& part : each) part = part.permute({0, 3, 1, 2});
      return each;
    }
    case PackedOrder::Chunks:
      break;
  }
  return grouped({batch, count, parts, heads, width}, 2);
}

/// Returns what the matrices of one projection make, [B, heads, n, d].
torch::Tensor StructureAttention::joined(const std::vector<StructureProduct>& products,
                                         const torch::Tensor& tokens) const {
  std::vector<torch::Tensor> parts;
  for (const StructureProduct& product : products) parts.push_back(product.forward(tokens));
  const torch::Tensor all = parts.size() == 1 ? parts.front() : at::cat(parts, -1);
  const std::int64_t heads = all.size(-1) * settings_.heads / structure_.inner;
  const torch::Tensor split = splitHeads(all, heads);
  // Fewer heads of keys and values serve as many neighbours each.
  return heads == settings_.heads ? split : split.repeat_interleave(settings_.heads / heads, 1);
}

/// Tells by the letters of a packed matrix what it makes; a third projection stands beside two.
StructureAttention::Projected StructureAttention::projectPacked(const torch::Tensor& tokens) const {
  const std::string& letters = settings_.packedLetters;
  const std::vector<torch::Tensor> parts =
      unpacked(projections_.back()[0].forward(tokens), std::ssize(letters));
  const auto partOf = [&](char letter) {
    const std::size_t at = letters.find(letter);
    return at == std::string::npos ? joined(projections_[0], tokens) : parts[at];
  };
  return {partOf('q'), partOf('k'), partOf('v')};
}

StructureAttention::Projected StructureAttention::projectSlices(const torch::Tensor& tokens) const {
  const torch::Tensor slices = splitHeads(tokens, settings_.heads);
  const auto joined = [&](const std::vector<StructureProduct>& products) {
    std::vector<torch::Tensor> heads;
    for (std::int64_t head = 0; head < settings_.heads; ++head) {
      const StructureProduct& product = products[products.size() == 1 ? 0 : std::size_t(head)];
      heads.push_back(product.forward(slices.select(1, head)));
    }
    return at::stack(heads, 1);
  };
  return {joined(projections_[0]), joined(projections_[1]), joined(projections_[2])};
}

StructureAttention::Projected StructureAttention::project(const torch::Tensor& tokens) const {
  switch (structure_.layout) {
    case ProjectionLayout::Packed:
    case ProjectionLayout::KeyValue:
      return projectPacked(tokens);
    case ProjectionLayout::OfSlices:
    case ProjectionLayout::Shared:
      return projectSlices(tokens);
    case ProjectionLayout::Separate:
    case ProjectionLayout::OfHeads:
      break;
  }
  const std::string letters = structure_.areNumbered ? settings_.packedLetters : "qkv";
  const auto partOf = [&](char letter) {
    return joined(projections_[letters.find(letter)], tokens);
  };
  return {partOf('q'), partOf('k'), partOf('v')};
}

double StructureAttention::factorOf(StructureSettings::Scale scale,
                                    const torch::Tensor& query) const {
  switch (scale) {
    case StructureSettings::Scale::Head:
      return inverseRootOfWidth(query);
    case StructureSettings::Scale::Width:
      return 1 / std::sqrt(static_cast<double>(channels_));
    case StructureSettings::Scale::None:
      break;
  }
  return 1;
}

/// Gives queries and keys that mechanism `of`, which divides their products by the root of a head's
/// width, then multiplies by the scale that is set: Nyströmformer by the queries alone, Performer,
/// whose features see the lengths of both, by queries and keys alike.
StructureAttention::Projected StructureAttention::scaledFor(StructureSettings::Mechanism of,
                                                            const Projected& in) const {
  if (settings_.scale == StructureSettings::Scale::Head) return in;
  const double factor = scaleOf(in.query) / inverseRootOfWidth(in.query);
  if (of == StructureSettings::Mechanism::Nystrom) return {in.query * factor, in.key, in.value};
  return {in.query * std::sqrt(factor), in.key * std::sqrt(factor), in.value};
}

HeadTerms StructureAttention::attendLinformer(const Projected& in, AttentionDescription description,
                                              Recorder* recorder) const {
  const auto shortening = [&](const torch::Tensor& stored) {
    return structure_.isExtraTransposed ? stored.t() : stored;
  };
  const torch::Tensor ofKeys = shortening(extras_.front());
  const torch::Tensor ofValues = shortening(extras_.back());
  torch::Tensor keys = at::matmul(ofKeys, in.key);
  if (extraBiases_.front().defined()) keys = keys + extraBiases_.front().unsqueeze(-1);
  const torch::Tensor weights =
      softmaxOfRows(matrixProduct(in.query * scaleOf(in.query), keys.transpose(-1, -2)));
  const torch::Tensor right =
      ofValues.t().unsqueeze(0).unsqueeze(0).expand({weights.size(0), weights.size(1), -1, -1});
  description.mechanism = "linformer";
  description.landmarks = static_cast<int>(weights.size(-1));
  HeadTerms terms;
  if (const torch::Tensor& bias = extraBiases_.back(); bias.defined()) {
    description.beside = "the bias of what shortens V, summed with the weights of the softmax";
    terms.beside = at::matmul(weights, bias.unsqueeze(-1)).expand_as(in.value);
  }
  terms.attention = attendWithFactors({weights, right, in.query, in.key}, in.value, layer_,
                                      description, recorder);
  return terms;
}

torch::Tensor StructureAttention::attend(const Projected& in,
                                         const AttentionDescription& description,
                                         Recorder* recorder) const {
  AttentionDescription described = description;
  switch (settings_.mechanism) {
    case StructureSettings::Mechanism::Softmax:
    case StructureSettings::Mechanism::Nystrom:
    case StructureSettings::Mechanism::Linformer:
      break;
    case StructureSettings::Mechanism::Elu:
      described.mechanism = "elu1";
      return attendWithFactors(
          {at::elu(in.query) + 1, at::elu(in.key) + 1, in.query, in.key, sumsAnd(1e-6)}, in.value,
          layer_, described, recorder);
    case StructureSettings::Mechanism::Relu:
      described.mechanism = "relu";
      return attendWithFactors({in.query.relu(), in.key.relu(), in.query, in.key, sumsAnd(1e-6)},
                               in.value, layer_, described, recorder);
    case StructureSettings::Mechanism::Efficient: {
      described.mechanism = "softmax2";
      const torch::Tensor left = in.query.softmax(-1);
      return attendWithFactors(
          {settings_.scalesQueries ? left * inverseRootOfWidth(in.query) : left, in.key.softmax(-2),
           in.query, in.key},
          in.value, layer_, described, recorder);
    }
    case StructureSettings::Mechanism::Performer: {
      const Projected scaled = scaledFor(StructureSettings::Mechanism::Performer, in);
      return performerAttention(scaled.query, scaled.key, scaled.value, extras_.front(), layer_,
                                described, recorder);
    }
    case StructureSettings::Mechanism::ReluFeatures: {
      const Projected scaled = scaledFor(StructureSettings::Mechanism::Performer, in);
      described.mechanism = "performer_relu";
      return attendWithFactors(
          {reluFeatures(scaled.query, extras_.front()), reluFeatures(scaled.key, extras_.front()),
           in.query, in.key, sumsAnd(0)},
          in.value, layer_, described, recorder);
    }
  }
  if (settings_.scaleBehind != StructureSettings::Scale::None) {
    const double factor = factorOf(settings_.scaleBehind, in.query);
    const torch::Tensor divided = factor * at::eye(settings_.heads, in.query.options());
    return mixedSoftmaxAttention(in.query, in.key, in.value,
                                 {.scale = scaleOf(in.query), .after = divided}, layer_, described,
                                 recorder);
  }
  return softmaxAttention(in.query, in.key, in.value, scaleOf(in.query), layer_, described,
                          recorder);
}

torch::Tensor StructureAttention::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                          Recorder* recorder) {
  AttentionDescription description = described_;
  description.queryGrid = grid;
  description.keyGrid = grid;
  Projected in = project(tokens);
  if (queryNorm_) {
    in.query = queryNorm_->forward(in.query);
    in.key = keyNorm_->forward(in.key);
  }
  HeadTerms terms;
  if (settings_.mechanism == StructureSettings::Mechanism::Nystrom) {
    in = scaledFor(StructureSettings::Mechanism::Nystrom, in);
    terms = runNystromAttention(in.query, in.key, in.value,
                                {.name = layer_,
                                 .landmarks = settings_.landmarks,
                                 .iterations = settings_.iterations,
                                 .filters = extras_.empty() ? torch::Tensor() : extras_.front(),
                                 .description = description},
                                recorder);
  } else if (settings_.mechanism == StructureSettings::Mechanism::Linformer) {
    terms = attendLinformer(in, description, recorder);
  } else {
    if (structure_.extra == AttentionExtra::Nystrom) {
      description.beside = besideAsConvolution;
      terms.beside = convolvedAlongTokens(in.value, extras_.front());
    }
    terms.attention = attend(in, description, recorder);
  }
  const torch::Tensor weight =
      output_ ? output_->matrix()
              : (looksAtTerms(recorder) ? at::eye(channels_, tokens.options()) : torch::Tensor());
  const torch::Tensor joined = joinTerms(terms, layer_, weight, recorder);
  return output_ ? output_->forward(joined) : joined;
}

}  // namespace softscope
