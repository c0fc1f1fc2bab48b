#pragma once

#include "core/Progress.h"

#include <cstdint>
#include <optional>
#include <string>

namespace softscope {

/// The file of a picture as it was when the picture was measured.
struct PictureFile {
  std::int64_t size = 0;      ///< in bytes
  std::int64_t modified = 0;  ///< time of the last change, in nanoseconds since 1970
  std::string sha256 = {};    ///< of the content, as `sha256sum` prints it; empty until it is read

  bool operator==(const PictureFile&) const = default;
};

/// Returns the size of a file and the time of its last change, without its checksum; nothing if
/// there is no file at the path.
std::optional<PictureFile> pictureFileAt(const std::string& path);

/// Returns `before`, what pictureFileAt() found before a picture was read, with the checksum of its
/// content. Throws FileError if the file cannot be read or was written meanwhile; may throw
/// Cancelled.
PictureFile withChecksum(PictureFile before, const std::string& path,
                         const Progress& progress = {});

/// Returns true if the file at a path has the content that it had. Reads it only if its time of the
/// last change is another; a file that is not there counts as unchanged. Throws FileError; may
/// throw Cancelled.
bool isUnchanged(const PictureFile& measured, const std::string& path,
                 const Progress& progress = {});

}  // namespace softscope
