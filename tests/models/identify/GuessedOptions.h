#pragma once

#include "core/model/ModelSummary.h"

#include <string>
#include <vector>

namespace softscope::test {

/// Returns the options of the settings that a network was opened with though nothing determines
/// them, in the order of the summary.
inline std::vector<std::string> guessedOptions(const ModelSummary& summary) {
  std::vector<std::string> options;
  for (const NetworkSetting& setting : summary.undetermined()) options.push_back(setting.option);
  return options;
}

}  // namespace softscope::test
