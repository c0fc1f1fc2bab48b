#pragma once

#include "core/checkpoint/Checkpoint.h"
#include "models/identify/ConfigurationFile.h"

#include <map>
#include <string>

namespace softscope {

/// Returns what the arguments of timm's training script say, which it stores in a checkpoint as
/// `args`: those of the network, `model_kwargs`, in the words of config.json, and how pictures were
/// prepared. Empty if the metadata have no such arguments.
ConfigurationFile argumentsOfTrainer(const std::map<std::string, std::string>& metadata);

/// Returns what the files beside a checkpoint say of its network, or if they say nothing, what its
/// trainer's arguments do. A whole pickled module's own attributes come before both.
ConfigurationFile configurationOf(const Checkpoint& checkpoint);

}  // namespace softscope
