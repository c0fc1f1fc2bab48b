#pragma once

#include <string>
#include <string_view>

namespace softscope {

/// Returns bytes as base64 (RFC 4648), padded and without line breaks.
std::string base64(std::string_view bytes);

}  // namespace softscope
