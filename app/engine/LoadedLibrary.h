#pragma once

#include <string>

namespace softscope {

/// Loads a shared library permanently. Returns null if that fails; dlerror() says why.
void* loadLibrary(const std::string& path);

}  // namespace softscope
