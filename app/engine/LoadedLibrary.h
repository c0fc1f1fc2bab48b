#pragma once

#include <string>

namespace softscope {

/// The shared library, loaded for good, or null where dlerror() says why not.
void* loadLibrary(const std::string& path);

}  // namespace softscope
