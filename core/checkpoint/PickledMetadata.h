#pragma once

#include "core/checkpoint/PickleValue.h"

#include <map>
#include <string>

namespace softscope {

class WorkBudget;

/// Returns the plain strings, numbers and booleans at the top of a pickle, those of its `args` or
/// of another dictionary with what the network was made with (as `args.lr`), and those of
/// dictionaries within these, up to four deep (as `config.MODEL.LA.ALPHA`); also the names of its
/// classes, as a JSON list under `classes`. A file that has more of them than any training writes
/// loses the rest.
std::map<std::string, std::string> collectMetadata(const PickleValue& root, WorkBudget& work);

}  // namespace softscope
