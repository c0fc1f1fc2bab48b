#pragma once

#include "core/model/ModelRequest.h"

#include <string>
#include <vector>

namespace softscope {

/// An option of a file that says of its network what weights do not tell, as text. Heads, which are
/// numbers, have members of their own.
struct SettingOption {
  const char* name;  ///< without dashes, and as in workspaces and in metadata: `activation`
  std::optional<std::string> ModelRequest::*value;
  const char* type;  ///< what it takes: `cls|mean`
  const char* description;
  /// Whether the option can have this value.
  bool (*accepts)(const std::string& text);
};

/// `activation`, `epsilon`, `norm`, `pooling`, `mean`, `std`.
const std::vector<SettingOption>& settingOptions();
/// Null for a name that is none of theirs.
const SettingOption* findSettingOption(const std::string& name);

/// An epsilon of a norm, from 0 to below 1; nothing for other text.
std::optional<double> parseEpsilon(const std::string& text);
/// The shortest text that parseEpsilon() reads as this number.
std::string epsilonText(double epsilon);

}  // namespace softscope
