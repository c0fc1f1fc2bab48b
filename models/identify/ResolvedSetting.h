#pragma once

#include "models/identify/Family.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What a family knows of a setting before anybody outside the weights is asked.
struct SettingKnowledge {
  /// As in settingOptions().
  std::string option;
  /// The value of published networks, or the likeliest.
  std::string usual;
  /// Where `isCertain`, who tells it, to stand behind the value; else why nothing does.
  std::string reason;
  bool isCertain = false;
  /// What the network can compute, `usual` among it.
  std::vector<std::string> choices;
  /// What the config.json beside the file says, in the option's words.
  std::optional<std::string> configured = std::nullopt;
  /// Any other value that the option accepts can be computed, too.
  bool isOpen = false;
};

/// A value in the option's own words: `gelu_tanh` of Hugging Face's `gelu_pytorch_tanh`, `1e-06` of
/// `0.000001`; in lower case where it is neither.
std::string settingWord(const std::string& option, const std::string& value);

/// The option decides, then the file's metadata, then its config.json, then what the family is
/// certain of; else the usual value is assumed. Throws ModelError for an option's value that the
/// network cannot compute.
NetworkSetting resolveSetting(const SettingKnowledge& known, const ModelHints& hints);

}  // namespace softscope
