#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// Returns `a network with LoRA adapters beside the weights that they change; merge them ...`, or
/// that the file holds adapters alone; empty for a file without adapters. `isOwnNameEnough` is true
/// if names count that people give to parts of their own networks as well: `adapter`.
std::string adapterText(const StateDict& state, bool isOwnNameEnough);

/// Returns what to say of a file of a few tensors whose every name is as PEFT writes it, such as a
/// head that was trained beside adapters; empty for any other. `prefix` was removed from the names.
std::string partOfPeftText(const StateDict& state, const std::string& prefix);

/// Returns the state dict without the words that wrappers put inside names, as those of
/// torch.compile, of checkpointing and of FSDP for each block, and as PEFT's where adapters were
/// merged.
StateDict withoutWrappersWords(const StateDict& state);

}  // namespace softscope
