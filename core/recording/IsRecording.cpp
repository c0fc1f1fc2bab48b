#include "core/recording/IsRecording.h"

#include "core/Error.h"
#include "core/checkpoint/FileKind.h"
#include "core/checkpoint/Safetensors.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/ZipArchive.h"
#include "core/recording/RecordingFile.h"
#include "core/recording/RecordingKeys.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace softscope {

namespace {

bool holdsNpyFiles(const std::string& path) {
  const ZipArchive archive(path, 0);
  const auto& entries = archive.entries();
  return !entries.empty() && std::all_of(entries.begin(), entries.end(), [](const auto& entry) {
    return entry.name.ends_with(".npy");
  });
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
      return std::filesystem::exists(std::filesystem::path(path) / "layers.json");
    }
    switch (recogniseFile(InputFile(path).head(recognisableBytes))) {
      case FileKind::ZipCheckpoint:
        return holdsNpyFiles(path);
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

}  // namespace softscope
