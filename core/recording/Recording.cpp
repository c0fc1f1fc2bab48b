#include "core/recording/Recording.h"

#include "core/Error.h"
#include "core/array/InputFile.h"
#include "core/array/Malformed.h"
#include "core/array/WorkBudget.h"
#include "core/checkpoint/FileText.h"
#include "core/recording/CheckedArrays.h"
#include "core/recording/PictureEntries.h"
#include "core/recording/RecordedGrid.h"
#include "core/recording/RecordedLayers.h"
#include "core/recording/RecordingFile.h"

#include <c10/util/Exception.h>

#include <cstdint>
#include <filesystem>
#include <new>

namespace softscope {

namespace {

void fillClasses(const RecordingFile& file, Recording& recording) {
  recording.logits = CheckedArrays(file).floats("logits", "[classes]");
  recording.classNames = file.texts("classes");
  if (recording.classNames.empty()) return;
  if (!recording.logits.defined()) {
    throw Malformed("has 'classes' without 'logits', of which they are the names");
  }
  const auto classes = static_cast<std::size_t>(recording.logits.size(0));
  if (classes == recording.classNames.size()) return;
  throw Malformed("'classes' names " + std::to_string(recording.classNames.size()) +
                  " classes, and 'logits' has " + std::to_string(classes));
}

Recording recordingOf(const RecordingFile& file, std::uint64_t size) {
  Recording recording;
  recording.layers = recordedLayers(file);
  fillClasses(file, recording);
  fillPicture(file, recording);
  const double aspect = double(recording.transform.width) / recording.transform.height;
  WorkBudget work(size);
  for (RecordedLayer& layer : recording.layers) {
    fillPlaces(file, layer.record.layer, aspect, work, layer.record.description);
  }
  recording.variant = file.text("variant").value_or(recording.variant);
  recording.note = file.text("note").value_or("");
  recording.refused = file.texts("refused");
  recording.mechanism =
      file.text("mechanism").value_or(recording.layers.back().record.description.mechanism);
  return recording;
}

}  // namespace

Recording readRecording(const std::string& path) {
  std::error_code failed;
  try {
    const bool isFolder = std::filesystem::is_directory(path, failed);
    if (isFolder) return recordingOf(readDumpFolder(path), 0);
    return recordingOf(readRecordingFile(path), InputFile(path).size());
  } catch (const Malformed& malformed) {
    throw FileError(path, malformed.what());
  } catch (const std::bad_alloc&) {
    throw FileError(path, "does not fit in memory");
  } catch (const c10::Error&) {
    // Every claim of the file was checked, so only LibTorch's allocator can have refused.
    throw FileError(path, "does not fit in memory");
  }
}

}  // namespace softscope
