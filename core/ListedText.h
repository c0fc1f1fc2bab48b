#pragma once

#include <string>
#include <vector>

namespace softscope {

/// `a, b or c`
std::string listedWithOr(const std::vector<std::string>& names);

}  // namespace softscope
