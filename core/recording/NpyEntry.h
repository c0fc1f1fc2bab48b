#pragma once

#include "core/recording/RecordingFile.h"

#include <string>

namespace softscope {

/// Returns the bytes of a .npy file with a recording's entry: numbers keep their type, a list of
/// texts becomes a `U` array, and a single text an array without dimensions.
std::string encodeNpyEntry(const RecordingFile::Value& value, bool isList);

}  // namespace softscope
