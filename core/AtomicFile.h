#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace softscope {

/// Whether a write waits until the disk has the bytes, so that not even a power cut loses them.
enum class Durability { OnDisk, Soon };

/// Writes a file so that its name holds either the old content or the whole new one: `write` fills
/// a temporary file in the same folder, which then takes the name. If anything throws, the
/// temporary is removed and what was there stays; so it is after a signal or a kill (PartFile). A
/// symbolic link stays, and the file that it leads to is written; a pipe or a device is written to.
/// Throws FileError where the folder is missing or cannot be written.
void writeFileAtomically(const std::string& path,
                         const std::function<void(const std::string& temporaryPath)>& write,
                         Durability durability = Durability::OnDisk);

/// Throws FileError where such a file can be foreseen not to be written: said before a long
/// computation, that loses nothing.
void checkWritable(const std::string& path);

/// writeFileAtomically() of bytes at hand.
void writeFileAtomically(const std::string& path, std::string_view bytes,
                         Durability durability = Durability::OnDisk);

}  // namespace softscope
