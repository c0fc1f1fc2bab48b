#pragma once

#include "core/image/Picture.h"
#include "core/model/RecordedPicture.h"

#include <memory>
#include <string>

namespace softscope {

/// The picture of a recording at `path`, by whose name it goes.
Picture pictureOf(const RecordedPicture& recorded, const std::string& path);

/// That of the file, read. Throws FileError.
std::shared_ptr<const RecordedPicture> recordedPictureAt(const std::string& path);

/// A recording stands for its picture wherever one is asked for. Throws FileError where it has
/// none.
Picture readRecordedPicture(const std::string& path);

}  // namespace softscope
