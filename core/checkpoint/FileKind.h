#pragma once

#include <cstddef>
#include <string_view>

namespace softscope {

enum class FileKind { ZipCheckpoint, LegacyCheckpoint, Safetensors };

/// Number of a file's first bytes that recogniseFile() needs.
inline constexpr std::size_t recognisableBytes = 512;

/// Recognises the kind of a file by its first bytes. If it is not a checkpoint, throws Malformed
/// with what it is.
FileKind recogniseFile(std::string_view head);

}  // namespace softscope
