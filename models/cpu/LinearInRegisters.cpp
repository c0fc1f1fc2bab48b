#include "models/cpu/LinearInRegisters.h"

#if defined(__x86_64__)

#include "models/cpu/Avx2Gemm.h"
#include "models/cpu/CpuFeatures.h"
#include "models/cpu/Inference.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <immintrin.h>
#include <vector>

namespace softscope {

namespace {

/// A panel of outputs: 6 rows of it take 12 of AVX2's 16 registers.
using Panel = BlockColumns<float, 8, 2>;
constexpr int rowsOfBlock = 6;
/// Inputs of a product: of a panel's weights, two thirds of the first cache.
constexpr std::int64_t mostDepth = 320;
/// Values of the tokens that are multiplied with one panel after another: three quarters of the
/// second cache.
constexpr std::int64_t mostTokens = 98304;
/// Below so many rows, turning the weights over costs more than it saves.
constexpr std::int64_t fewestRows = 16;

struct Range {
  std::int64_t begin;
  std::int64_t end;

  std::int64_t size() const { return end - begin; }
};

struct Layer {
  std::int64_t rows;
  std::int64_t inputs;
  std::int64_t outputs;
  MatrixView<const float> tokens;
  MatrixView<const float> weight;
  const float* bias;
  MatrixView<float> result;

  std::int64_t panels() const { return outputs / Panel::count; }

  /// Inputs that are multiplied at a time.
  std::int64_t depth() const {
    const std::int64_t parts = (inputs + mostDepth - 1) / mostDepth;
    return ((inputs + parts - 1) / parts + Panel::lanes - 1) / Panel::lanes * Panel::lanes;
  }

  std::int64_t chunks() const { return (rows * depth() + mostTokens - 1) / mostTokens; }

  Range chunk(std::int64_t index) const {
    return {index * rows / chunks(), (index + 1) * rows / chunks()};
  }
};

/// The 8 x 8 values at `from`, as columns, to `to`.
[[gnu::target("avx2")]] void transpose(MatrixView<const float> from, MatrixView<float> to) {
  __m256 rows[8];
  for (int i = 0; i < 8; ++i) rows[i] = _mm256_loadu_ps(from.at(i, 0).first);
  __m256 pairs[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
  }
  // Columns 0 to 3 of the upper four rows and, in the other half of the register, 4 to 7.
  __m256 fours[8];
  for (int i = 0; i < 8; i += 4) {
    fours[i] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
    fours[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0xee);
    fours[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
    fours[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to.at(i, 0).first, _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20));
    _mm256_storeu_ps(to.at(i + 4, 0).first, _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31));
  }
}

/// The weights of a panel's outputs for `depth` inputs, [depth, Panel::count].
[[gnu::target("avx2"), gnu::flatten]] void transposePanel(MatrixView<const float> weight,
                                                          std::int64_t depth, float* panel) {
  const MatrixView<float> turned{panel, Panel::count};
  for (std::int64_t output = 0; output < Panel::count; output += 8) {
    for (std::int64_t input = 0; input < depth; input += 8) {
      transpose(weight.at(output, input), turned.at(input, output));
    }
  }
}

[[gnu::target("avx2,fma")]] void multiplyPanel(std::int64_t rows, MatrixView<const float> tokens,
                                               MatrixView<const float> panel, std::int64_t depth,
                                               const float* start, MatrixView<float> result) {
  multiplyRows<rowsOfBlock, Panel>(rows, tokens, panel, depth, start, result);
}

/// What a thread keeps from one product to the next.
struct Memory {
  std::vector<float> panel;
  std::vector<float> tokens;
};

/// `depth` inputs of some rows: where they lie if those are all, or else copied together, because
/// rows that lie far apart would push each other out of the first cache.
MatrixView<const float> together(const Layer& layer, const Range& rows, std::int64_t input,
                                 std::int64_t depth, std::vector<float>& memory) {
  const MatrixView<const float> tokens = layer.tokens.at(rows.begin, input);
  if (depth == layer.inputs) return tokens;
  memory.resize(static_cast<std::size_t>(rows.size() * depth));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    std::copy_n(tokens.at(row, 0).first, depth, memory.data() + row * depth);
  }
  return {memory.data(), depth};
}

void multiply(const Layer& layer, const Range& rows, const Range& panels, Memory& memory) {
  static constexpr float zeros[Panel::count] = {};
  memory.panel.resize(static_cast<std::size_t>(layer.depth() * Panel::count));
  for (std::int64_t input = 0; input < layer.inputs; input += layer.depth()) {
    const std::int64_t depth = std::min(layer.depth(), layer.inputs - input);
    const MatrixView<const float> tokens = together(layer, rows, input, depth, memory.tokens);
    for (std::int64_t panel = panels.begin; panel < panels.end; ++panel) {
      const std::int64_t output = panel * Panel::count;
      const float* start = layer.bias == nullptr ? zeros : layer.bias + output;
      transposePanel(layer.weight.at(output, input), depth, memory.panel.data());
      multiplyPanel(rows.size(), tokens, {memory.panel.data(), Panel::count}, depth,
                    input == 0 ? start : nullptr, layer.result.at(rows.begin, output));
    }
  }
}

void multiplyInTasks(const Layer& layer) {
  const std::int64_t panels = layer.panels();
  const std::int64_t products = layer.chunk(0).size() * layer.inputs * Panel::count;
  constexpr std::int64_t productsOfThread = 1 << 20;
  at::parallel_for(0, layer.chunks() * panels, productsOfThread / products + 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     thread_local Memory memory;
                     while (begin < end) {
                       const std::int64_t first = begin % panels;
                       const std::int64_t last = std::min(panels, first + end - begin);
                       multiply(layer, layer.chunk(begin / panels), {first, last}, memory);
                       begin += last - first;
                     }
                   });
}

bool isForRegisters(const torch::Tensor& x, const torch::Tensor& weight,
                    const torch::Tensor& bias) {
  return hasAvx2() && isInferredOnCpu(x) && isInferredOnCpu(weight) && weight.dim() == 2 &&
         weight.stride(1) == 1 && x.size(-1) == weight.size(1) &&
         weight.size(0) % Panel::count == 0 && weight.size(1) % Panel::lanes == 0 &&
         x.numel() / x.size(-1) >= fewestRows &&
         (!bias.defined() || (isInferredOnCpu(bias) && bias.is_contiguous() &&
                              bias.sizes() == weight.sizes().slice(0, 1)));
}

}  // namespace

std::optional<torch::Tensor> linearInRegisters(const torch::Tensor& x, const torch::Tensor& weight,
                                               const torch::Tensor& bias) {
  if (!isForRegisters(x, weight, bias)) return {};
  const torch::Tensor tokens = x.contiguous();
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  torch::Tensor result = torch::empty(shape, x.options());
  multiplyInTasks({.rows = x.numel() / x.size(-1),
                   .inputs = weight.size(1),
                   .outputs = weight.size(0),
                   .tokens = {tokens.data_ptr<float>(), weight.size(1)},
                   .weight = {weight.data_ptr<float>(), weight.stride(0)},
                   .bias = bias.defined() ? bias.data_ptr<float>() : nullptr,
                   .result = {result.data_ptr<float>(), weight.size(0)}});
  return result;
}

}  // namespace softscope

#else

namespace softscope {

std::optional<torch::Tensor> linearInRegisters(const torch::Tensor&, const torch::Tensor&,
                                               const torch::Tensor&) {
  return {};
}

}  // namespace softscope

#endif
