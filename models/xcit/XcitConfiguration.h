#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/identify/Family.h"
#include "models/xcit/XcitBlocks.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

// The parts that the families XCiT and SimA share: names, sizes, published variants.

/// Returns true if names in the state dict are those of an XCiT backbone with any attention.
bool hasXcitNames(const StateDict& state);
/// Returns true if a token block has `temperature`, which XCiT's attention has and SimA's lacks.
bool hasXcitTemperature(const StateDict& state);

/// Reads every size that names and shapes determine; `network` is the architecture's name in error
/// messages. The heads stay 0 unless a temperature gives them.
XcitConfiguration readXcitConfiguration(const StateDict& state, const std::string& network);

/// Returns depth and patch as in published names, `small_12_p16`; empty for sizes that no one has
/// published.
std::string publishedXcitSize(const XcitConfiguration& configuration);

/// Returns the heads of the published models with this width; nothing for other widths.
std::optional<int> publishedXcitHeads(int channels);

/// Returns Family::harmless for XCiT, and for SimA on its backbone.
std::vector<std::string> harmlessXcitExtras();

/// Defines a model with this configuration, and resolves its activation, its head's input and what
/// class attention normalises. Its summary lacks only further mechanisms, confidence and reason.
/// `network` is the architecture's name in messages.
DefinedModel defineXcitModel(const std::string& family, const std::string& network,
                             XcitConfiguration configuration, const ModelHints& hints);

}  // namespace softscope
