#pragma once

#include "core/model/ModelSummary.h"

#include <string>
#include <vector>

namespace softscope {

/// Those of the names, which a network of the family does not have, that the file's own network may
/// compute with: all but those that match one of the patterns `harmless`, and what training leaves
/// behind whatever the network.
std::vector<std::string> foreignParameters(const std::vector<std::string>& unexpected,
                                           const std::vector<std::string>& harmless);

/// `has 3 parameters that deit does not have: 'blocks.0.attn.dwc.weight'; ...`
std::string foreignText(const ModelSummary& summary);

/// Says in a summary what stands beside the network and is left out, if anything does.
void describeBeside(ModelSummary& summary);

/// Says in a summary that it has foreign parameters: what its family computes is not what was
/// trained.
void describeForeign(ModelSummary& summary);

}  // namespace softscope
