#pragma once

#include "core/checkpoint/StateDict.h"
#include "core/model/ModelSummary.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// Returns those names, among `unexpected`, that the file's own network may compute with: all
/// except those that match one of the patterns `harmless`, and those that training leaves behind in
/// any network, such as an average of the network's own tensors, which are in `state`.
std::vector<std::string> foreignParameters(const std::vector<std::string>& unexpected,
                                           const std::vector<std::string>& harmless,
                                           const StateDict& state);

/// Returns `has 3 parameters that deit does not have: 'blocks.0.attn.dwc.weight'; ...`.
std::string foreignText(const ModelSummary& summary);

/// Mentions in a summary the names beside the network that are left out, if there are any.
void describeBeside(ModelSummary& summary);

/// States in a summary that the file has foreign parameters, so that its family does not compute
/// what was trained.
void describeForeign(ModelSummary& summary);

/// The comparison of a state dict with what a network expects.
struct ParameterMatch {
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  /// Descriptions such as "name is [3, 4], expected [5, 4]".
  std::vector<std::string> wrongShape;

  bool complete() const { return missing.empty() && wrongShape.empty(); }
};

/// Compares names and shapes. Batch counters (`num_batches_tracked`) may be absent, because
/// inference does not use them and old files lack them.
ParameterMatch matchParameters(const torch::nn::Module& network, const StateDict& state);

/// Points every parameter and buffer at the state dict's tensor, as float32 on `device`; memory is
/// shared if no conversion is needed. Call only for a complete match.
void loadParameters(torch::nn::Module& network, const StateDict& state,
                    const torch::Device& device);

/// Returns the number of trainable parameters of the network.
std::int64_t countParameters(const torch::nn::Module& network);

/// Returns the first few items of a list, and how many more there are: `a; b; c; and 4 more`.
std::string firstOf(const std::vector<std::string>& names);

/// Returns a shape as text: `[64, 3, 3, 3]`.
std::string shapeText(at::IntArrayRef shape);

}  // namespace softscope
