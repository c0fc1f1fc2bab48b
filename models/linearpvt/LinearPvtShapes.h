#pragma once

#include "core/model/ModelSummary.h"
#include "models/identify/ShapeReader.h"
#include "models/linearpvt/LinearPvtNetwork.h"

#include <optional>
#include <string>

namespace softscope {

/// Reads the sizes from names and shapes; the heads follow from the width of the filters beside the
/// attention. `network` is used in messages. Throws ModelError if information is missing, if
/// channels are not divisible by heads, and for positions that do not form a square.
LinearPvtConfiguration readLinearPvt(const ShapeReader& shapes, const std::string& network);

/// Returns `tiny`, `small`, `medium` or `large` if channels, heads, depths and picture size are
/// those of a published PVT; nothing for others.
std::optional<std::string> publishedPvtSize(const LinearPvtConfiguration& configuration);

/// Fills in what all these networks share in their summaries; each layer records `mapsOfHead` maps
/// per head.
ModelSummary summaryOf(const LinearPvtConfiguration& configuration, const std::string& family,
                       const std::string& mechanism, int mapsOfHead);

}  // namespace softscope
