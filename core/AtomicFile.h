#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace softscope {

/// Writes a file so that its name holds either the old content or the whole new one: `write` fills
/// a temporary file in the same folder, which then takes the name. If anything throws, the
/// temporary is removed and what was there stays. Throws FileError where the folder is missing or
/// cannot be written.
void writeFileAtomically(const std::string& path,
                         const std::function<void(const std::string& temporaryPath)>& write);

/// Throws FileError where such a file can be foreseen not to be written: said before a long
/// computation, that loses nothing.
void checkWritable(const std::string& path);

/// writeFileAtomically() of bytes at hand.
void writeFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace softscope
