#include "core/ListedText.h"

#include <cstddef>

namespace softscope {

std::string listedWithOr(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "" : last ? " or " : ", ") + names[i];
  }
  return text;
}

}  // namespace softscope
