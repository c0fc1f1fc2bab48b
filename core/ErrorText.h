#pragma once

#include <exception>
#include <string>

namespace softscope {

/// Returns what people are told of an error: its message, or a sentence where it has none, as for
/// lack of memory.
std::string sentenceOf(const std::exception& error);

}  // namespace softscope
