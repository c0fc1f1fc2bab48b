#pragma once

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>

namespace softscope {

/// Calls `compute(head, token, count)` for runs of at most `mostTokens` tokens of one head, about
/// equally many, on several threads, each of which takes at least `tokensPerTask` tokens. Every
/// token of every head is in one run.
template <typename Compute>
void forRunsOfHeads(std::int64_t heads, std::int64_t tokens, std::int64_t tokensPerTask,
                    std::int64_t mostTokens, const Compute& compute) {
  at::parallel_for(0, heads * tokens, tokensPerTask, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t token = begin % tokens;
      const std::int64_t left = std::min(end - begin, tokens - token);
      const std::int64_t runs = (left + mostTokens - 1) / mostTokens;
      const std::int64_t count = (left + runs - 1) / runs;
      compute(begin / tokens, token, count);
      begin += count;
    }
  });
}

/// Queries or keys of every head, multiplied by a factor.
struct ScaledHeads {
  torch::Tensor scaled;  ///< [B, heads, n, d]
  torch::Tensor l1;      ///< L1 norms before scaling: [B, heads, n], or undefined
};

/// Scales heads [B, heads, n, d]; computes the norms if `withNorms`. In an inference on the CPU,
/// the result has every head's tokens contiguous in memory, because products, records and maps of
/// them would otherwise have to copy them. Differentiable.
ScaledHeads scaleHeads(const torch::Tensor& heads, double factor, bool withNorms);

}  // namespace softscope
