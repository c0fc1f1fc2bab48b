#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/identify/Family.h"
#include "models/xcit/XcitBlocks.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

// What XCiT and SimA have in common as families: names, sizes, published variants.

/// Whether names in the state dict are those of an XCiT backbone, whatever its attention.
bool hasXcitNames(const StateDict& state);
/// Whether a token block has `temperature`, which XCiT's attention has and SimA's has not.
bool hasXcitTemperature(const StateDict& state);

/// Every size that names and shapes tell; `network` is the architecture's name in error messages.
/// The heads are left at 0, except where a temperature tells them.
XcitConfiguration readXcitConfiguration(const StateDict& state, const std::string& network);

/// Depth and patch behind a published size, `small_12_p16`; empty for sizes that nobody published.
std::string publishedXcitSize(const XcitConfiguration& configuration);

/// Heads of the published models of a width, none for other widths.
std::optional<int> publishedXcitHeads(int channels);

/// Family::harmless of XCiT, and of SimA on its backbone.
std::vector<std::string> harmlessXcitExtras();

/// A model of this configuration, whose activation is still to be found: its summary lacks only
/// mechanisms beside the chosen one, confidence and reason. Counterfactual is said of the
/// activation alone.
DefinedModel defineXcitModel(const std::string& family, XcitConfiguration configuration,
                             const ModelHints& hints);

}  // namespace softscope
