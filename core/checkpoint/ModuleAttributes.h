#pragma once

#include "core/checkpoint/PickleValue.h"

#include <map>
#include <string>

namespace softscope {

class WorkBudget;

/// The beginning of the keys under which metadata hold the attributes of a pickled module.
inline constexpr const char* moduleAttributesPlace = "module.";

/// Returns what the attributes of a pickled torch.nn.Module and of the modules in it say of the
/// computation, in the words of config.json: `num_heads` (one number, or one for each stage),
/// `hidden_act`, `layer_norm_eps`, `block_eps`, `norm_first`, `global_pool`, `pool`,
/// `pool_include_prefix`; and `attention_scale`, if products of queries and keys are scaled by
/// another number than their width tells; and `is_causal`, if it is true. What modules do not agree
/// on is left out, and so is what a decoder or a teacher says. Empty if the value is no module.
std::map<std::string, std::string> moduleAttributes(const PickleValue& value, WorkBudget& work);

}  // namespace softscope
