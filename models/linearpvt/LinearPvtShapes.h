#pragma once

#include "core/model/ModelSummary.h"
#include "models/identify/ShapeReader.h"
#include "models/linearpvt/LinearPvtNetwork.h"

#include <optional>
#include <string>

namespace softscope {

/// The sizes that names and shapes tell, heads by the width of the filters beside the attention.
/// `network` is for messages. Throws ModelError where too little is there, where channels do not
/// divide among heads, and for positions that make no square.
LinearPvtConfiguration readLinearPvt(const ShapeReader& shapes, const std::string& network);

/// `tiny`, `small`, `medium` or `large`: that of PVT's published sizes whose channels, heads,
/// depths and picture these are; nothing for others.
std::optional<std::string> publishedPvtSize(const LinearPvtConfiguration& configuration);

/// Fills in what every such network has in its summary; each layer records `mapsOfHead` maps per
/// head.
ModelSummary summaryOf(const LinearPvtConfiguration& configuration, const std::string& family,
                       const std::string& mechanism, int mapsOfHead);

}  // namespace softscope
