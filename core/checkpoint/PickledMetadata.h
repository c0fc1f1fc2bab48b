#pragma once

#include "core/checkpoint/PickleValue.h"

#include <map>
#include <string>

namespace softscope {

class WorkBudget;

/// Keys of the dictionaries in which trainers keep what a network was made with, the surest first.
inline constexpr const char* trainersDictionaries[] = {
    "config", "args", "hparams", "cfg", "hyper_parameters", "model_config", "model_args"};

/// Returns the plain strings, numbers and booleans at the top of a pickle, those of its `args` or
/// of another dictionary with what the network was made with (as `args.lr`), and those of
/// dictionaries within these, up to four deep (as `config.MODEL.LA.ALPHA`); also the names of its
/// classes, as a JSON list under `classes`; and what a whole module under `weightsKey`, or the root
/// if that is empty, says of itself (as `module.num_heads`). A file that has more of them than any
/// training writes loses the rest.
std::map<std::string, std::string> collectMetadata(const PickleValue& root,
                                                   const std::string& weightsKey, WorkBudget& work);

}  // namespace softscope
