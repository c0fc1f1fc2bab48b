#pragma once

#include <cstdint>
#include <string>

namespace softscope {

/// `1 picture`, `3 pictures`; for words whose plural takes an s.
inline std::string countedText(std::int64_t count, const std::string& one) {
  return std::to_string(count) + ' ' + one + (count == 1 ? "" : "s");
}

}  // namespace softscope
