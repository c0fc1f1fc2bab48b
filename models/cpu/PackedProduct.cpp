#include "models/cpu/PackedProduct.h"

#include "models/cpu/PackedWeights.h"

#ifdef SOFTSCOPE_HAS_ONEDNN

#include "core/machine/ProcessMemory.h"
#include "models/cpu/CpuFeatures.h"
#include "models/cpu/Inference.h"
#include "models/cpu/OneDnnPrimitives.h"

#include <array>
#include <map>
#include <string_view>
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

}  // namespace softscope

#else

namespace softscope {

PackedProduct::PackedProduct() = default;

std::optional<torch::Tensor> PackedProduct::forward(const torch::Tensor&, const torch::Tensor&,
                                                    const torch::Tensor&, Activation) const {
  return {};
}

}  // namespace softscope

#endif
