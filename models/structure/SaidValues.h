#pragma once

#include "models/identify/Family.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A value that something beside the weights says.
struct SaidValue {
  std::string text;
  std::string source;  ///< `from the file's metadata`, `from config.json`
};

/// Returns what the file's metadata, its own dictionary (`config.num_heads`) or the config.json
/// beside it say of an option, in the option's own words, under the names that people use for it.
/// Names such as `eps` and `stride`, which trainers give to other things as well, are read only
/// from metadata that Softscope wrote and from the config.json, which describe the network.
/// Values that are none of `choices` are passed over, unless there are no choices.
std::optional<SaidValue> saidValue(const std::string& option,
                                   const std::vector<std::string>& choices,
                                   const ModelHints& hints);

}  // namespace softscope
