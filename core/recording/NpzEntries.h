#pragma once

#include "core/recording/RecordingFile.h"

#include <string>
#include <string_view>

namespace softscope {

/// The members of a .npz as NumPy writes it: floats, integers and truths as arrays in their own
/// type, `U` and `S` arrays as texts. Throws Malformed, naming the member.
RecordingFile readNpzEntries(const std::string& path);

/// What the bytes of one .npy file hold, likewise. Throws Malformed.
RecordingFile::Value decodeNpyEntry(std::string_view bytes);

}  // namespace softscope
