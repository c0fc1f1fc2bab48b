#include "core/survey/PictureFile.h"

#include "core/Error.h"
#include "core/files/Sha256.h"

#include <algorithm>
#include <sys/stat.h>
#include <utility>

namespace softscope {

namespace {

std::string checksumOfPicture(const std::string& path, const Progress& progress) {
  Sha256 checksum;
  addFile(path, checksum, progress);
  return checksum.digest();
}

}  // namespace

std::optional<PictureFile> pictureFileAt(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  const std::int64_t modified =
      std::int64_t{status.st_mtim.tv_sec} * nanoseconds + std::int64_t{status.st_mtim.tv_nsec};
  // Times before 1970 are those of broken clocks.
  return PictureFile{.size = status.st_size, .modified = std::max<std::int64_t>(0, modified)};
}

PictureFile withChecksum(PictureFile before, const std::string& path, const Progress& progress) {
  std::string checksum = checksumOfPicture(path, progress);
  if (pictureFileAt(path) != before) throw FileError(path, "was written while it was measured");
  before.sha256 = std::move(checksum);
  return before;
}

bool isUnchanged(const PictureFile& measured, const std::string& path, const Progress& progress) {
  const std::optional<PictureFile> now = pictureFileAt(path);
  if (!now) return true;
  if (now->size != measured.size) return false;
  return now->modified == measured.modified || checksumOfPicture(path, progress) == measured.sha256;
}

}  // namespace softscope
