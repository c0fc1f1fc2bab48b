#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <vector>

namespace softscope {

/// The tensors of selective scans ("Mamba: Linear-Time Sequence Modeling with Selective State
/// Spaces", 2023, arXiv 2312.00752), with tokens in the order in which each scan sees them.
struct SelectiveScan {
  torch::Tensor steps;  ///< dt, positive, [B, scans, n, E]
  torch::Tensor rates;  ///< A, negative, [scans, E, N]
  torch::Tensor write;  ///< B, [B, scans, n, N]
  torch::Tensor read;   ///< C, [B, scans, n, N]
};

/// Projects what the scans read from values [B, scans, n, E]: `projection` [scans, R + 2 N, E]
/// gives dt's R channels, then B and C; dt = softplus(`stepWeight` [scans, E, R] of these +
/// `stepBias` [scans, E]); and A = -exp(`logRates` [scans, E, N]).
SelectiveScan projectSelectiveScan(const torch::Tensor& values, const torch::Tensor& projection,
                                   const torch::Tensor& stepWeight, const torch::Tensor& stepBias,
                                   const torch::Tensor& logRates);

/// Returns A V of every scan and channel for values [B, scans, n, E], of the same shape, in one
/// sweep. May throw Cancelled.
torch::Tensor scanSelectively(const SelectiveScan& scan, const torch::Tensor& values,
                              const Recorder* recorder);

/// Returns the first picture's map, whose heads are the scans. `order` holds the tokens of the map
/// in the order in which each scan sees them.
BuiltTensors mapOfScans(const SelectiveScan& scan, std::vector<std::vector<int>> order);

}  // namespace softscope
