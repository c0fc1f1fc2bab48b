#include "core/live/LiveModels.h"

namespace softscope {

namespace {

constexpr std::string_view liveScheme = "live:";

}  // namespace

std::string livePath(const std::string& name) {
  return std::string(liveScheme) + name;
}

std::string_view liveName(std::string_view path) {
  return path.substr(0, liveScheme.size()) == liveScheme ? path.substr(liveScheme.size())
                                                         : std::string_view();
}

}  // namespace softscope
