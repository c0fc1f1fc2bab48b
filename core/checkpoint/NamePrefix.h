#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// The wrapping that stands in front of a network's own parameter names: `module.` where every name
/// has it, and `backbone.` unless it is part of the names as EfficientViT's authors publish them,
/// any number of times. Names without the result belong to something else
/// (a decoder, a projection head) and are to be left out.
std::string wrapperPrefix(std::vector<std::string_view> names);

}  // namespace softscope
