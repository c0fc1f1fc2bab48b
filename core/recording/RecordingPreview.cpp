#include "core/recording/RecordingPreview.h"

#include "core/Error.h"
#include "core/checkpoint/FileKind.h"
#include "core/checkpoint/Safetensors.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/ZipArchive.h"
#include "core/recording/Recording.h"
#include "core/recording/RecordingFile.h"
#include "core/recording/RecordingKeys.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace softscope {

namespace {

/// Returns true for `encoder/norm/bias`, which weights are called and nothing recorded is.
bool isWeightsName(std::string_view name) {
  const std::string_view last = name.substr(name.find_last_of("/.") + 1);
  return last == "bias" || last == "weight" || last == "kernel" || last == "pos_embedding";
}

bool holdsRecordedArrays(const std::string& path) {
  constexpr std::string_view ending = ".npy";
  const ZipArchive archive(path, 0);
  bool hasAttention = false;
  bool hasWeights = false;
  for (const ZipArchive::Entry& entry : archive.entries()) {
    std::string_view name = entry.name;
    if (!name.ends_with(ending)) return false;
    name.remove_suffix(ending.size());
    hasAttention = hasAttention || isAttentionPart(splitAtLayer(name).second);
    hasWeights = hasWeights || isWeightsName(name);
  }
  return !archive.entries().empty() && (hasAttention || !hasWeights);
}

bool holdsRecordedLayers(const std::string& path) {
  const std::vector<std::string> names = safetensorsNames(path);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    const auto [layer, part] = splitAtLayer(name);
    return !layer.empty() && isAttentionPart(part);
  });
}

}  // namespace

bool isRecording(const std::string& path) {
  try {
    if (std::filesystem::is_directory(path)) {
      return std::filesystem::exists(std::filesystem::path(path) / dumpedLayers);
    }
    switch (recogniseFile(InputFile(path).head(recognisableBytes))) {
      case FileKind::ZipCheckpoint:
        return holdsRecordedArrays(path);
      case FileKind::Safetensors:
        return holdsRecordedLayers(path);
      case FileKind::LegacyCheckpoint:
        break;
    }
  } catch (const Malformed&) {
  } catch (const Error&) {
  } catch (const std::filesystem::filesystem_error&) {
  }
  return false;
}

Picture pictureOf(const RecordedPicture& recorded, const std::string& path) {
  return {.width = recorded.width,
          .height = recorded.height,
          .rgb = recorded.rgb,
          .path = path,
          .isSheet = !recorded.isInFile,
          .isCut = recorded.isCut};
}

std::shared_ptr<const RecordedPicture> recordedPictureAt(const std::string& path) {
  return readRecording(path).picture;
}

Picture readRecordedPicture(const std::string& path) {
  const auto recorded = recordedPictureAt(path);
  if (!recorded->isInFile) {
    throw FileError(path, "is a recording without a picture; give a picture");
  }
  if (recorded->isCut) {
    throw FileError(path,
                    "is a recording of an input whose values no picture of 8 bits holds, so no "
                    "other network can be run on it; give the picture or the tensor itself");
  }
  return pictureOf(*recorded, path);
}

}  // namespace softscope
