#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/identify/ChosenSizes.h"
#include "models/preresnet/PreresnetNetwork.h"

#include <optional>
#include <string>

namespace softscope {

/// Reads everything that names and shapes determine, which is all but heads and mechanism. Throws
/// ModelError if information is missing.
PreresnetConfiguration readPreresnetConfiguration(const StateDict& state);

/// Returns the name of a network of Cho et al.: with three non-local blocks in its second stage,
/// `preresnet20_nl` for softmax, or `preresnet20_nl_scaled_magnitude`; without such blocks,
/// `preresnet20`; for others, `custom`. Heads and classes are not part of it.
std::string preresnetVariant(const PreresnetConfiguration& configuration);
/// Returns the network with this name, or nothing.
std::optional<PreresnetConfiguration> publishedPreresnet(const std::string& variant);

/// Returns the network with other channels in its stages, which its non-local blocks embed in as
/// well, and with other heads in these blocks. The stem stays unchanged, as do bottlenecks. Throws
/// ModelError for sizes that it cannot have.
PreresnetConfiguration resizedPreresnet(PreresnetConfiguration configuration,
                                        const ArchitectureSizes& sizes);

/// Returns the mechanism that the name of a file or model, in lower case, implies: by `_nl_scaled`
/// and the like after the depth, or by `nonlocal_scaled`.
std::optional<std::string> mechanismInName(const std::string& name);

}  // namespace softscope
