#pragma once

#include <cstddef>
#include <string_view>

namespace softscope {

enum class FileKind { ZipCheckpoint, LegacyCheckpoint, Safetensors };

/// How many of a file's first bytes recogniseFile() wants.
inline constexpr std::size_t recognisableBytes = 512;

/// Tells what a file is by its first bytes. Throws Malformed naming what it is where it is no
/// checkpoint.
FileKind recogniseFile(std::string_view head);

}  // namespace softscope
