#include "models/cpu/OneDnn.h"

#ifdef SOFTSCOPE_HAS_ONEDNN

#include "models/cpu/CpuFeatures.h"
#include "models/cpu/Inference.h"
#include "models/cpu/OneDnnPrimitives.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using dnnl::memory;
/// Sizes, strides, activation and threads: everything that determines the code that oneDNN compiles
/// for a product.
using ProductKey = std::vector<std::int64_t>;
/// Rows, channels and epsilon.
using NormKey = std::tuple<std::int64_t, std::int64_t, double>;
/// Number of elements, and the activation.
using ElementsKey = std::pair<std::int64_t, Activation>;
/// Rows and columns, and whether one thread computes them.
using SoftmaxKey = std::tuple<std::int64_t, std::int64_t, bool>;

/// Returns the strides of matrices, those of a batch of one as if another followed in memory. No
/// number depends on them, but oneDNN has no fast code for any others, such as those of a strip of
/// a single head's queries.
std::vector<std::int64_t> stridesOf(const torch::Tensor& matrices) {
  std::vector<std::int64_t> strides = matrices.strides().vec();
  std::int64_t end = 1;
  for (std::size_t i = strides.size(); i-- > 0;) {
    const std::int64_t size = matrices.size(static_cast<std::int64_t>(i));
    if (size == 1 && i + 2 < strides.size()) strides[i] = end;
    end = std::max(end, strides[i] * size);
  }
  return strides;
}

memory::desc layoutOf(const torch::Tensor& matrices) {
  return {matrices.sizes().vec(), memory::data_type::f32, stridesOf(matrices)};
}

struct Product {
  memory::desc a;
  memory::desc b;
  memory::desc bias;
  memory::desc result;
  std::optional<dnnl::matmul> multiply;  ///< empty if oneDNN is slow
};

/// Returns the sizes of a b.
std::vector<std::int64_t> productShape(const torch::Tensor& a, const torch::Tensor& b) {
  std::vector<std::int64_t> shape = a.sizes().vec();
  shape.back() = b.size(-1);
  return shape;
}

Product compileProduct(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& bias,
                       Activation activation) {
  Product product{layoutOf(a), layoutOf(b), {}, {}, {}};
  // A tensor without memory, used only for its sizes and strides.
  product.result = layoutOf(torch::empty(productShape(a, b), torch::kMeta));
  if (bias.defined()) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(a.dim()), 1);
    shape.back() = bias.size(0);
    product.bias = layoutOf(bias.view(shape));
  }
  constexpr bool mayBeNone = true;
  const dnnl::matmul::primitive_desc description(
      {product.a, product.b, product.bias, product.result}, followedBy(activation), processor(),
      mayBeNone);
  // AVX-512 has fast products of small blocks; the others come from BLAS, and are slower than
  // calling it directly.
  const bool fast =
      description && std::string_view(description.impl_info_str()).substr(0, 3) == "brg";
  if (fast) product.multiply = dnnl::matmul(description);
  return product;
}

ProductKey keyOf(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& bias,
                 Activation activation) {
  ProductKey key{a.dim(), bias.defined() ? 1 : 0, static_cast<std::int64_t>(activation),
                 at::in_parallel_region() ? 1 : 0};
  for (const torch::Tensor& tensor : {a, b}) {
    const std::vector<std::int64_t> strides = stridesOf(tensor);
    key.insert(key.end(), tensor.sizes().begin(), tensor.sizes().end());
    key.insert(key.end(), strides.begin(), strides.end());
  }
  return key;
}

/// Returns true if the rows or the columns of every matrix are contiguous, and none overlap.
bool isMatrices(const torch::Tensor& tensor) {
  const bool rows = tensor.stride(-1) == 1 && tensor.stride(-2) >= tensor.size(-1);
  const bool columns = tensor.stride(-2) == 1 && tensor.stride(-1) >= tensor.size(-2);
  if (!rows && !columns) return false;
  for (std::int64_t i = 0; i + 2 < tensor.dim(); ++i) {
    if (tensor.stride(i) == 0) return false;
  }
  return true;
}

bool areFactors(const torch::Tensor& a, const torch::Tensor& b) {
  return isInferredOnCpu(a) && isInferredOnCpu(b) && a.dim() == b.dim() && a.dim() >= 2 &&
         a.sizes().slice(0, a.dim() - 2) == b.sizes().slice(0, b.dim() - 2) &&
         a.size(-1) == b.size(-2) && isMatrices(a) && isMatrices(b);
}

/// Returns the same matrices without gaps. If other data lie between their numbers, as between the
/// queries of one projection, returns a copy, for which oneDNN has faster code.
torch::Tensor withoutGaps(const torch::Tensor& matrices) {
  if (matrices.is_non_overlapping_and_dense()) return matrices;
  if (matrices.stride(-1) == 1) return matrices.contiguous();
  return matrices.transpose(-1, -2).contiguous().transpose(-1, -2);
}

struct Norm {
  memory::desc rows;
  memory::desc channels;
  dnnl::layer_normalization_forward normalise;
};

Norm compileNorm(std::int64_t rows, std::int64_t channels, double epsilon) {
  Norm norm;
  norm.rows = {{rows, channels}, memory::data_type::f32, memory::format_tag::ab};
  norm.channels = {{channels}, memory::data_type::f32, memory::format_tag::a};
  const dnnl::layer_normalization_forward::desc description(
      dnnl::prop_kind::forward_inference, norm.rows, static_cast<float>(epsilon),
      dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift);
  norm.normalise = dnnl::layer_normalization_forward({description, processor()});
  return norm;
}

struct Elements {
  memory::desc numbers;
  dnnl::eltwise_forward activate;
};

Elements compileElements(std::int64_t count, Activation activation) {
  Elements elements;
  elements.numbers = {{count}, memory::data_type::f32, memory::format_tag::a};
  const dnnl::eltwise_forward::desc description(dnnl::prop_kind::forward_inference,
                                                algorithmOf(activation), elements.numbers, 0, 0);
  elements.activate = dnnl::eltwise_forward({description, processor()});
  return elements;
}

struct Softmax {
  memory::desc rows;
  dnnl::softmax_forward normalise;
};

Softmax compileSoftmax(std::int64_t rows, std::int64_t columns) {
  Softmax softmax;
  softmax.rows = {{rows, columns}, memory::data_type::f32, memory::format_tag::ab};
  constexpr int alongColumns = 1;
  const dnnl::softmax_forward::desc description(dnnl::prop_kind::forward_inference, softmax.rows,
                                                alongColumns);
  softmax.normalise = dnnl::softmax_forward({description, processor()});
  return softmax;
}

}  // namespace

bool multipliesByOneDnn() {
  return hasAvx512();
}

std::optional<torch::Tensor> multiplyByOneDnn(const torch::Tensor& left, const torch::Tensor& right,
                                              const torch::Tensor& bias, Activation activation) {
  if (!multipliesByOneDnn() || !areFactors(left, right) ||
      (bias.defined() && !(isInferredOnCpu(bias) && bias.is_contiguous())))
    return {};
  const torch::Tensor a = withoutGaps(left);
  const torch::Tensor b = withoutGaps(right);
  thread_local std::map<ProductKey, Product> products;
  const Product& product = compiledFor(products, keyOf(a, b, bias, activation),
                                       [&] { return compileProduct(a, b, bias, activation); });
  if (!product.multiply || !mayBeFollowedBy(activation, {a, b, bias})) return {};
  const torch::Tensor result = torch::empty(productShape(a, b), a.options());
  runWeighted(*product.multiply, inPlace(product.a, a), inPlace(product.b, b),
              inPlace(product.bias, bias), inPlace(product.result, result));
  return result;
}

std::optional<torch::Tensor> activateByOneDnn(const torch::Tensor& x, Activation activation) {
  if (!isInferredOnCpu(x) || activation == Activation::None) return {};
  if (!mayBeFollowedBy(activation, {x})) return {};
  const torch::Tensor given = x.contiguous();
  const torch::Tensor result = torch::empty_like(given);
  thread_local std::map<ElementsKey, Elements> compiled;
  const Elements& elements = compiledFor(compiled, ElementsKey{x.numel(), activation},
                                         [&] { return compileElements(x.numel(), activation); });
  run(elements.activate, {{DNNL_ARG_SRC, inPlace(elements.numbers, given)},
                          {DNNL_ARG_DST, inPlace(elements.numbers, result)}});
  return result;
}

std::optional<torch::Tensor> softmaxByOneDnn(const torch::Tensor& x) {
  if (!isInferredOnCpu(x) || !x.is_contiguous()) return {};
  // oneDNN writes zeros beside what is undefined or infinite, where the whole row is undefined.
  if (!areFinite({x})) return {};
  const SoftmaxKey key{x.numel() / x.size(-1), x.size(-1), at::in_parallel_region()};
  thread_local std::map<SoftmaxKey, Softmax> compiled;
  const Softmax& softmax = compiledFor(
      compiled, key, [&] { return compileSoftmax(std::get<0>(key), std::get<1>(key)); });
  const dnnl::memory rows = inPlace(softmax.rows, x);
  run(softmax.normalise, {{DNNL_ARG_SRC, rows}, {DNNL_ARG_DST, rows}});
  return x;
}

std::optional<torch::Tensor> normaliseByOneDnn(const torch::Tensor& x, const torch::Tensor& weight,
                                               const torch::Tensor& bias, double epsilon) {
  if (!isInferredOnCpu(x) || !isInferredOnCpu(weight) || !isInferredOnCpu(bias)) return {};
  const torch::Tensor rows = x.contiguous();
  const torch::Tensor result = torch::empty_like(rows);
  const std::int64_t channels = weight.size(0);
  const std::int64_t count = x.numel() / channels;
  thread_local std::map<NormKey, Norm> norms;
  const Norm& norm = compiledFor(norms, NormKey{count, channels, epsilon},
                                 [&] { return compileNorm(count, channels, epsilon); });
  run(norm.normalise, {{DNNL_ARG_SRC, inPlace(norm.rows, rows)},
                       {DNNL_ARG_DST, inPlace(norm.rows, result)},
                       {DNNL_ARG_SCALE, inPlace(norm.channels, weight)},
                       {DNNL_ARG_SHIFT, inPlace(norm.channels, bias)}});
  return result;
}

}  // namespace softscope

#else

namespace softscope {

bool multipliesByOneDnn() {
  return false;
}

std::optional<torch::Tensor> multiplyByOneDnn(const torch::Tensor&, const torch::Tensor&,
                                              const torch::Tensor&, Activation) {
  return {};
}

std::optional<torch::Tensor> activateByOneDnn(const torch::Tensor&, Activation) {
  return {};
}

std::optional<torch::Tensor> softmaxByOneDnn(const torch::Tensor&) {
  return {};
}

std::optional<torch::Tensor> normaliseByOneDnn(const torch::Tensor&, const torch::Tensor&,
                                               const torch::Tensor&, double) {
  return {};
}

}  // namespace softscope

#endif
