#pragma once

#include "core/recording/RecordingFile.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace softscope {

/// The members of a .npz as NumPy writes it: floats, integers and truths as arrays in their own
/// type (float16 as float32), `U` and `S` arrays as texts. Throws Malformed, naming the member.
RecordingFile readNpzEntries(const std::string& path);

/// Where the bytes of a .npy file come from, one after another.
struct NpyBytes {
  std::uint64_t remaining = 0;
  std::function<void(void* destination, std::size_t count)> read;
};

/// What one .npy file holds, likewise. Throws Malformed, also for what takes more than `most` bytes
/// of memory.
RecordingFile::Value decodeNpyEntry(NpyBytes bytes, std::uint64_t most);

}  // namespace softscope
