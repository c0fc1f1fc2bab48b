#pragma once

#include "core/inspect/Inspection.h"

#include <string>
#include <vector>

namespace softscope {

/// The layers that `--layer` means: `all`, a name, or a pattern; empty for the last layer with the
/// model's own mechanism. Throws InspectionError naming the layers there are.
std::vector<LayerInspection> chosenLayers(const Inspection& inspection, const std::string& layer,
                                          const std::string& mechanism);

}  // namespace softscope
