#pragma once

#include <string>
#include <vector>

namespace softscope {

/// A setting that changes what a network computes and that its weights do not determine: its heads,
/// its activation, the epsilon of its norms, ...
struct NetworkSetting {
  /// The command-line option that chooses it, without dashes: `heads`. The metadata of converted
  /// files use the same name.
  std::string option;
  /// The value that the network is opened with, in the form that the option takes: `4`, `gelu`,
  /// `1e-06`.
  std::string value;
  /// The source of the value, to be shown after it: `from config.json`, `assumed`.
  std::string source;
  /// Values that the same weights allow, the current one first; fewer than two if there is no
  /// choice.
  std::vector<std::string> choices;
  /// Why the value is unknown, as part of a sentence; empty if it is known.
  std::string why;
  /// True if the network is known to have been trained with another value.
  bool isCounterfactual = false;

  bool isUndetermined() const { return !why.empty(); }
  bool isChoosable() const { return choices.size() > 1; }
};

}  // namespace softscope
