#include "models/identify/ParameterNames.h"

namespace softscope {

std::optional<std::string> textBefore(const StateDict& state, std::string_view part) {
  for (const StateDict::Entry& entry : state.entries()) {
    const std::size_t at = entry.name.find(part);
    if (at != std::string::npos) return entry.name.substr(0, at);
  }
  return std::nullopt;
}

bool anyContains(const StateDict& state, std::string_view part) {
  return textBefore(state, part).has_value();
}

}  // namespace softscope
