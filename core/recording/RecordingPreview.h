#pragma once

#include "core/image/Picture.h"
#include "core/model/InputTransform.h"

#include <memory>
#include <string>

namespace softscope {

/// Returns true if the content at a path is a recording: a .npz, but for one of weights, a
/// .safetensors with names such as `LAYER/attn`, or a folder that `softscope dump` wrote. False if
/// it cannot be read.
bool isRecording(const std::string& path);

/// Returns the picture of a recording under the name of its file, `path`.
Picture pictureOf(const RecordedPicture& recorded, const std::string& path);

/// Reads the picture of the recording in a file. Throws FileError.
std::shared_ptr<const RecordedPicture> recordedPictureAt(const std::string& path);

/// Reads a recording's picture, so that a recording can be given in place of a picture. Throws
/// FileError if it has none, or an input whose values 8 bits cannot hold.
Picture readRecordedPicture(const std::string& path);

}  // namespace softscope
