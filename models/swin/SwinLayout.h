#pragma once

#include "models/identify/Family.h"
#include "models/swin/SwinConfiguration.h"

#include <optional>
#include <string>

namespace softscope {

/// Reads the sizes of a Swin Transformer from names and shapes, and from the files beside it what
/// it was made for: the picture, and Swin V2's windows. Throws ModelError if they do not suffice.
SwinConfiguration readSwin(const StateDict& state, const ModelHints& hints);

/// Returns config.json's content if it describes this network; otherwise null.
const ConfigurationFile* swinFile(const SwinConfiguration& configuration, const ModelHints& hints);

/// The window of Swin V2's first stage according to what is outside the weights.
struct SaidSwinWindow {
  std::optional<int> window;
  std::string source;  ///< `from config.json`
};

/// Returns the window that config.json or a name tells; readSwin() has used it already.
SaidSwinWindow saidSwinWindow(const SwinConfiguration& configuration, const ModelHints& hints);

}  // namespace softscope
