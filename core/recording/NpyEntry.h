#pragma once

#include "core/recording/RecordingFile.h"

#include <string>

namespace softscope {

/// The bytes of a .npy file with a recording's entry: numbers in their own type, a list of texts as
/// a `U` array, a single text as one without dimensions.
std::string encodeNpyEntry(const RecordingFile::Value& value, bool isList);

}  // namespace softscope
