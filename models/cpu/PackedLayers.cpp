#include "models/cpu/PackedLayers.h"

#include "models/cpu/PackedWeights.h"

#ifdef SOFTSCOPE_HAS_ONEDNN

#include "core/machine/ProcessMemory.h"
#include "models/cpu/CpuFeatures.h"
#include "models/cpu/Inference.h"
#include "models/cpu/OneDnnPrimitives.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using dnnl::memory;
/// Rows, inputs, outputs, whether there is a bias, and the activation.
using PackedProductKey = std::array<std::int64_t, 5>;

/// With more rows, the time saved is negligible.
constexpr std::int64_t mostRows = 1024;
/// Memory must have room for this many copies of the weights.
constexpr std::int64_t roomForCopies = 8;

struct CompiledProduct {
  dnnl::matmul::primitive_desc description;
  std::optional<dnnl::matmul> multiply;  ///< empty if oneDNN is slow
};

memory::desc plainMatrix(std::int64_t rows, std::int64_t columns, memory::format_tag order) {
  return {{rows, columns}, memory::data_type::f32, order};
}

CompiledProduct compilePackedProduct(const PackedProductKey& key, Activation activation) {
  const auto [rows, inputs, outputs, hasBias, follows] = key;
  const auto plain = memory::format_tag::ab;
  const memory::desc bias = hasBias ? plainMatrix(1, outputs, plain) : memory::desc();
  constexpr bool mayBeNone = true;
  CompiledProduct compiled;
  compiled.description = dnnl::matmul::primitive_desc(
      {plainMatrix(rows, inputs, plain), plainMatrix(inputs, outputs, memory::format_tag::any),
       bias, plainMatrix(rows, outputs, plain)},
      followedBy(activation), processor(), mayBeNone);
  const bool fast = compiled.description &&
                    std::string_view(compiled.description.impl_info_str()).starts_with("brg");
  if (fast) compiled.multiply = dnnl::matmul(compiled.description);
  return compiled;
}

/// Packs the weights into a layout, if there is room for several copies.
std::optional<PackedWeights::Packing> packedMatrix(const torch::Tensor& weight,
                                                   const memory::desc& layout) {
  const auto bytes = static_cast<std::int64_t>(layout.get_size());
  if (availableBytes() < roomForCopies * bytes) return {};
  const memory::desc plain = plainMatrix(weight.size(1), weight.size(0), memory::format_tag::ba);
  return PackedWeights::Packing{PackedWeights::reordered(inPlace(plain, weight), layout), {}};
}

bool mayBePacked(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  // Without AVX-512, oneDNN has nothing faster to offer.
  return hasAvx512() && isInferredOnCpu(x) && isInferredOnCpu(weight) && weight.is_contiguous() &&
         (!bias.defined() || (isInferredOnCpu(bias) && bias.is_contiguous())) &&
         x.numel() / x.size(-1) <= mostRows;
}

using dnnl::memory;
/// Sizes and activation: everything that determines the code that oneDNN compiles for a
/// convolution.
using ConvolutionKey = std::vector<std::int64_t>;

constexpr auto number = memory::data_type::f32;
constexpr auto channelsLast = memory::format_tag::nhwc;

struct Compiled {
  dnnl::convolution_forward::primitive_desc description;
  std::optional<dnnl::convolution_forward> convolve;  ///< empty if oneDNN is slow
};

bool hasBias(const ConvolutionTerms& terms) {
  return terms.bias.defined() || terms.norm;
}

ConvolutionKey keyOf(const torch::Tensor& x, const ConvolutionTerms& terms) {
  ConvolutionKey key = x.sizes().vec();
  key.insert(key.end(),
             {terms.weight.size(0), terms.weight.size(2), terms.stride, terms.padding, terms.groups,
              hasBias(terms) ? 1 : 0, static_cast<std::int64_t>(terms.activation)});
  return key;
}

memory::dims weightSizes(const ConvolutionTerms& terms) {
  memory::dims sizes = terms.weight.sizes().vec();
  if (terms.groups > 1) {
    sizes.front() /= terms.groups;
    sizes.insert(sizes.begin(), terms.groups);
  }
  return sizes;
}

/// Returns the layout that weights have in files.
memory::desc plainWeights(const ConvolutionTerms& terms) {
  const auto order = terms.groups > 1 ? memory::format_tag::goihw : memory::format_tag::oihw;
  return {weightSizes(terms), number, order};
}

memory::dims resultSizes(const torch::Tensor& x, const ConvolutionTerms& terms) {
  const auto left = [&](std::int64_t side) {
    return (side + 2 * terms.padding - terms.weight.size(2)) / terms.stride + 1;
  };
  return {x.size(0), terms.weight.size(0), left(x.size(2)), left(x.size(3))};
}

/// Recognises the fast implementations for contiguous channels: `brg...` on AVX-512, `jit...` on
/// older processors.
bool isFast(const dnnl::convolution_forward::primitive_desc& description) {
  const std::string_view name = description.impl_info_str();
  return name.starts_with("br") || name.starts_with("jit");
}

Compiled compileConvolution(const torch::Tensor& x, const ConvolutionTerms& terms) {
  const memory::desc input(x.sizes().vec(), number, channelsLast);
  const memory::desc output(resultSizes(x, terms), number, channelsLast);
  const memory::desc weights(weightSizes(terms), number, memory::format_tag::any);
  const memory::desc bias =
      hasBias(terms) ? memory::desc({terms.weight.size(0)}, number, memory::format_tag::a)
                     : memory::desc();
  const memory::dims strides(2, terms.stride);
  const memory::dims padding(2, terms.padding);
  constexpr bool mayBeNone = true;
  Compiled compiled;
  compiled.description = dnnl::convolution_forward::primitive_desc(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, input, weights,
       bias, output, strides, padding, padding},
      followedBy(terms.activation), processor(), mayBeNone);
  if (compiled.description && isFast(compiled.description)) {
    compiled.convolve = dnnl::convolution_forward(compiled.description);
  }
  return compiled;
}

/// Returns all tensors that the packed weights are made of.
std::vector<torch::Tensor> tensorsOf(const ConvolutionTerms& terms) {
  std::vector<torch::Tensor> tensors{terms.weight, terms.bias};
  if (terms.norm) {
    tensors.insert(tensors.end(),
                   {terms.norm->weight, terms.norm->bias, terms.norm->mean, terms.norm->variance});
  }
  return tensors;
}

/// Returns weights [outputs, inputs / groups, k, k] and bias [outputs] with the norm folded in.
std::pair<torch::Tensor, torch::Tensor> foldedTerms(const ConvolutionTerms& terms) {
  if (!terms.norm) return {terms.weight.contiguous(), terms.bias};
  const torch::Tensor scale = terms.norm->scale();
  const torch::Tensor mean =
      terms.bias.defined() ? terms.norm->mean - terms.bias : terms.norm->mean;
  return {(terms.weight * scale.view({-1, 1, 1, 1})).contiguous(), terms.norm->bias - mean * scale};
}

PackedWeights::Packing packed(const ConvolutionTerms& terms, const memory::desc& layout) {
  const torch::NoGradGuard noGradient;
  const auto [weight, bias] = foldedTerms(terms);
  return {PackedWeights::reordered(inPlace(plainWeights(terms), weight), layout), bias};
}

}  // namespace

PackedProduct::PackedProduct() : packed_(std::make_shared<PackedWeights>()) {}

std::optional<torch::Tensor> PackedProduct::forward(const torch::Tensor& x,
                                                    const torch::Tensor& weight,
                                                    const torch::Tensor& bias,
                                                    Activation activation) const {
  if (!mayBePacked(x, weight, bias) || !packed_->knows({weight})) return {};
  const torch::Tensor rows = x.reshape({-1, x.size(-1)}).contiguous();
  const PackedProductKey key{rows.size(0), weight.size(1), weight.size(0), bias.defined() ? 1 : 0,
                             static_cast<std::int64_t>(activation)};
  thread_local std::map<PackedProductKey, CompiledProduct> products;
  const CompiledProduct& compiled =
      compiledFor(products, key, [&] { return compilePackedProduct(key, activation); });
  if (!compiled.multiply || !mayBeFollowedBy(activation, {rows, weight, bias})) return {};
  const memory::desc layout = compiled.description.weights_desc();
  const auto packing =
      packed_->find({weight}, layout, [&] { return packedMatrix(weight, layout); });
  if (!packing) return {};
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  const torch::Tensor result = torch::empty(shape, x.options());
  runWeighted(*compiled.multiply, inPlace(compiled.description.src_desc(), rows), packing->weights,
              inPlace(plainMatrix(1, weight.size(0), memory::format_tag::ab), bias),
              inPlace(compiled.description.dst_desc(), result));
  return result;
}

PackedConvolution::PackedConvolution() : packed_(std::make_shared<PackedWeights>()) {}

std::optional<torch::Tensor> PackedConvolution::forward(const torch::Tensor& x,
                                                        const ConvolutionTerms& terms) const {
  if (!isInferredOnCpu(x) || !isInferredOnCpu(terms.weight) || x.dim() != 4) return {};
  thread_local std::map<ConvolutionKey, Compiled> convolutions;
  const Compiled& compiled =
      compiledFor(convolutions, keyOf(x, terms), [&] { return compileConvolution(x, terms); });
  if (!compiled.convolve || !mayBeFollowedBy(terms.activation, {x}) ||
      !mayBeFollowedBy(terms.activation, tensorsOf(terms))) {
    return {};
  }
  const memory::desc layout = compiled.description.weights_desc();
  const PackedWeights::Packing packing =
      *packed_->find(tensorsOf(terms), layout, [&] { return packed(terms, layout); });
  const torch::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast);
  const torch::Tensor result = torch::empty(
      resultSizes(x, terms), x.options().memory_format(at::MemoryFormat::ChannelsLast));
  runWeighted(*compiled.convolve, inPlace(compiled.description.src_desc(), input), packing.weights,
              inPlace(compiled.description.bias_desc(), packing.bias),
              inPlace(compiled.description.dst_desc(), result));
  return result;
}

}  // namespace softscope

#else

namespace softscope {

PackedProduct::PackedProduct() = default;

std::optional<torch::Tensor> PackedProduct::forward(const torch::Tensor&, const torch::Tensor&,
                                                    const torch::Tensor&, Activation) const {
  return {};
}

PackedConvolution::PackedConvolution() = default;

std::optional<torch::Tensor> PackedConvolution::forward(const torch::Tensor&,
                                                        const ConvolutionTerms&) const {
  return {};
}

}  // namespace softscope

#endif
