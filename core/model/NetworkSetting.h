#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Something that changes what a network computes and that its weights do not tell: its heads, its
/// activation, the epsilon of its norms, ...
struct NetworkSetting {
  /// The option of the command line that chooses it, without dashes: `heads`. Metadata of converted
  /// files have it under the same name.
  std::string option;
  /// What the network is opened with, as the option takes it: `4`, `gelu`, `1e-06`.
  std::string value;
  /// Who says so, to stand behind the value: `from config.json`, `assumed`.
  std::string source;
  /// What else the same weights allow, the value first; fewer than two where nothing is to choose.
  std::vector<std::string> choices;
  /// Why nobody knows, to stand in a sentence; empty where somebody does.
  std::string why;
  /// It is known to have been another when the network was trained.
  bool isCounterfactual = false;

  bool isUndetermined() const { return !why.empty(); }
  bool isChoosable() const { return choices.size() > 1; }
};

}  // namespace softscope
