#include "core/recording/PictureOfRecording.h"

#include "core/Error.h"
#include "core/recording/Recording.h"

namespace softscope {

Picture pictureOf(const RecordedPicture& recorded, const std::string& path) {
  return {recorded.width, recorded.height, recorded.rgb, path, !recorded.isInFile};
}

std::shared_ptr<const RecordedPicture> recordedPictureAt(const std::string& path) {
  return readRecording(path).picture;
}

Picture readRecordedPicture(const std::string& path) {
  const auto recorded = recordedPictureAt(path);
  if (recorded->isInFile) return pictureOf(*recorded, path);
  throw FileError(path, "is a recording without a picture; give a picture");
}

}  // namespace softscope
