#include "core/checkpoint/NamePrefix.h"

#include <algorithm>

namespace softscope {

namespace {

bool isBelow(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix);
}

/// EfficientViT's authors call all in front of its classifier `backbone`, and what its stages are
/// made of `op_list`.
bool isOfEfficientVit(std::string_view name) {
  return name.starts_with("backbone.") && name.find(".op_list.") != std::string_view::npos;
}

}  // namespace

std::string wrapperPrefix(std::vector<std::string_view> names) {
  constexpr std::string_view parallel = "module.";
  constexpr std::string_view backbone = "backbone.";
  constexpr int mostLayers = 8;
  std::string prefix;
  for (int layer = 0; layer < mostLayers && !names.empty(); ++layer) {
    const auto below = [&](std::string_view part) {
      return [part](std::string_view name) { return isBelow(name, part); };
    };
    std::string_view part;
    if (std::ranges::all_of(names, below(parallel))) {
      part = parallel;
    } else if (std::ranges::any_of(names, isOfEfficientVit)) {
      break;
    } else if (std::ranges::any_of(names, below(backbone))) {
      part = backbone;
    } else {
      break;
    }
    std::erase_if(names, [part](std::string_view name) { return !isBelow(name, part); });
    for (std::string_view& name : names) name.remove_prefix(part.size());
    prefix += part;
  }
  return prefix;
}

}  // namespace softscope
