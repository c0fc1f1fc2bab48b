#pragma once

#include "core/model/ModelSummary.h"

#include <string>
#include <vector>

namespace softscope {

/// Returns those names, among `unexpected`, that the file's own network may compute with: all
/// except those that match one of the patterns `harmless`, and those that training leaves behind in
/// any network.
std::vector<std::string> foreignParameters(const std::vector<std::string>& unexpected,
                                           const std::vector<std::string>& harmless);

/// Returns `has 3 parameters that deit does not have: 'blocks.0.attn.dwc.weight'; ...`.
std::string foreignText(const ModelSummary& summary);

/// Mentions in a summary the names beside the network that are left out, if there are any.
void describeBeside(ModelSummary& summary);

/// States in a summary that the file has foreign parameters, so that its family does not compute
/// what was trained.
void describeForeign(ModelSummary& summary);

}  // namespace softscope
