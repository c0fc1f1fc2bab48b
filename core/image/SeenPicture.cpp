#include "core/image/SeenPicture.h"

#include <filesystem>

namespace softscope {
namespace {

std::string pictureName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

bool isRecordedOn(const RecordedPicture& recorded, const Picture& picture) {
  if (!recorded.isInFile) return true;
  return picture.width == recorded.width && picture.height == recorded.height &&
         picture.rgb == recorded.rgb;
}

void checkSees(const ModelSummary& model, const Picture& picture) {
  if (!model.recorded && picture.isSheet) {
    throw InspectionError(pictureName(picture.path) +
                          " was recorded without a picture, so there is none for " +
                          pictureName(model.path) + " to look at; open a picture");
  }
  if (!model.recorded && picture.isCut) {
    throw InspectionError(pictureName(picture.path) +
                          " was recorded on an input whose values no picture of 8 bits holds, so "
                          "what is drawn of it is not what " +
                          pictureName(model.path) + " would see; open a picture");
  }
  if (!model.recorded || isRecordedOn(*model.recorded, picture)) return;
  throw OtherPictureError(pictureName(model.path) + " was recorded on a picture of its own, and " +
                          pictureName(picture.path) +
                          " is another: a recording shows its own picture alone, a model any");
}

PictureRegion regionSeen(const PictureRegion& fed, const InputTensor& input,
                         const std::optional<PictureRegion>& seen) {
  if (!seen) return fed;
  const double scaleX = fed.width / input.width;
  const double scaleY = fed.height / input.height;
  return {fed.x + seen->x * scaleX, fed.y + seen->y * scaleY, seen->width * scaleX,
          seen->height * scaleY};
}

std::string noteOn(const ModelSummary& model, const Picture& picture) {
  std::string note = model.mechanismNote();
  if (!model.recorded || model.recorded->isInFile || picture.isSheet) return note;
  return note + (note.empty() ? "" : ", ") + "recorded without a picture, laid over one given";
}

}  // namespace softscope
