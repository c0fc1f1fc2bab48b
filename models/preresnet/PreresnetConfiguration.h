#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/identify/ChosenSizes.h"
#include "models/preresnet/PreresnetNetwork.h"

#include <optional>
#include <string>

namespace softscope {

/// Everything that names and shapes tell: all but heads and mechanism. Throws ModelError where too
/// little is there.
PreresnetConfiguration readPreresnetConfiguration(const StateDict& state);

/// The name of a network of Cho et al. with three non-local blocks in its second stage,
/// `preresnet20_nl` with softmax, `preresnet20_nl_scaled_magnitude`; of one without such blocks,
/// `preresnet20`; or `custom`. Heads and classes are not part of it.
std::string preresnetVariant(const PreresnetConfiguration& configuration);
/// The network of that name, or nothing.
std::optional<PreresnetConfiguration> publishedPreresnet(const std::string& variant);

/// The network with other channels of its stages, in which its non-local blocks embed too, and
/// other heads of these. The stem stays, as bottlenecks do. Throws ModelError for sizes that it
/// cannot have.
PreresnetConfiguration resizedPreresnet(PreresnetConfiguration configuration,
                                        const ArchitectureSizes& sizes);

/// The mechanism that a file's or model's name in lower case tells: `_nl_scaled` and the like after
/// the depth, or `nonlocal_scaled`.
std::optional<std::string> mechanismInName(const std::string& name);

}  // namespace softscope
