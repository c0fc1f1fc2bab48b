#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// The wrapping that stands in front of a network's own parameter names: `module.` where every name
/// has it, and `backbone.`, any number of times. Names without the result belong to something else
/// (a decoder, a projection head) and are to be left out.
std::string wrapperPrefix(std::vector<std::string_view> names);

}  // namespace softscope
