#pragma once

#include "core/recording/RecordingFile.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace softscope {

/// Reads the members of a .npz as NumPy writes it: floats, integers and booleans become arrays of
/// their own type (float16 becomes float32), `U` and `S` arrays become texts. Throws a Malformed
/// that names the member.
RecordingFile readNpzEntries(const std::string& path);

/// The source of a .npy file's bytes, read in order.
struct NpyBytes {
  std::uint64_t remaining = 0;
  std::function<void(void* destination, std::size_t count)> read;
};

/// Decodes one .npy file as readNpzEntries() does. Throws Malformed, also if the content takes more
/// than `most` bytes of memory.
RecordingFile::Value decodeNpyEntry(NpyBytes bytes, std::uint64_t most);

}  // namespace softscope
