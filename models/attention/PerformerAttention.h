#pragma once

#include "core/network/Recorder.h"

#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <string>

namespace softscope {

/// The products among which Performer's largest exponent is found: one row of them (Token), the
/// whole matrix of a head (Head), or the matrices of all heads of a picture (AllHeads).
enum class LargestOver { Token, Head, AllHeads };

/// Performer with FAVOR+: softmax(q k^T / sqrt(d)) approximated by phi(q) phi(k)^T, rows divided by
/// their sums, with positive random features ("Rethinking Attention with Performers", 2020, arXiv
/// 2009.14794)
///   phi(x) = m^(-1/2) (exp(W x' - |x'|^2 / 2 - c) + 1e-4),  x' = d^(-1/4) x,
/// where c keeps the exponents small: the largest of W x' per query, and over `ofKeys` for keys.
/// Query, key and value are [B, heads, n, d], `projection` is W, [m, d]. Sets the description's
/// mechanism.
torch::Tensor performerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& projection,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder, LargestOver ofKeys = LargestOver::Head);

/// Returns the number of random features of heads with `width` channels: floor(d ln d), at least 1.
int performerFeatures(int width);

/// Draws a new W, [features, width]. Its rows are as long as Gaussian vectors; within each group of
/// `width` rows they are orthogonal to each other.
torch::Tensor orthogonalRandomFeatures(int features, int width, at::Generator generator);

}  // namespace softscope
