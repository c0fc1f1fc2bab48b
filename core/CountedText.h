#pragma once

#include <cstdint>
#include <string>

namespace softscope {

/// Returns `1 picture` or `3 pictures`, for nouns whose plural takes an s.
inline std::string countedText(std::int64_t count, const std::string& one) {
  return std::to_string(count) + ' ' + one + (count == 1 ? "" : "s");
}

}  // namespace softscope
