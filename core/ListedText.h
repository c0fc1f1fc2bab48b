#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Joins names as in a sentence: `a, b or c`.
std::string listedWithOr(const std::vector<std::string>& names);

}  // namespace softscope
