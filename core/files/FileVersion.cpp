#include "core/files/FileVersion.h"

#include "core/Error.h"
#include "core/files/CheckpointFiles.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/files/Sha256.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>

namespace softscope {
namespace {

constexpr std::uint64_t fingerprintPieces = 64;
constexpr std::uint64_t fingerprintPieceSize = 65536;

/// Returns a stamp without what it says of its first file.
std::string_view stampOfOthers(std::string_view stamp) {
  constexpr int partsOfFile = 4;
  for (int i = 0; i < partsOfFile; ++i) {
    const std::size_t end = stamp.find(' ');
    if (end == std::string_view::npos) return {};
    stamp.remove_prefix(end + 1);
  }
  return stamp;
}

/// True if the first file was written with the content that it had, and the others were not.
bool hasSameContent(const FileVersion& version, const std::string& stamp) {
  if (version.fingerprint.empty()) return false;
  if (stampOfOthers(stamp) != stampOfOthers(version.stamp)) return false;
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(version.files.front(), failed);
  // The fingerprint of a larger file samples it.
  if (failed || size > fingerprintPieces * fingerprintPieceSize) return false;
  return fileFingerprint(version.files.front()) == version.fingerprint;
}

}  // namespace

std::string fileFingerprint(const std::string& path) {
  std::error_code failed;
  // Opening a pipe would block until something writes to it.
  if (!std::filesystem::is_regular_file(path, failed)) return {};
  try {
    InputFile file(path);
    Sha256 hash;
    hash.add(std::to_string(file.size()));
    const std::uint64_t pieces = std::min(
        fingerprintPieces, (file.size() + fingerprintPieceSize - 1) / fingerprintPieceSize);
    const std::uint64_t length = std::min(file.size(), fingerprintPieceSize);
    std::string piece(length, '\0');
    for (std::uint64_t i = 0; i < pieces; ++i) {
      const std::uint64_t last = file.size() - length;
      file.read(pieces > 1 ? last * i / (pieces - 1) : 0, piece.data(), length);
      hash.add(piece);
    }
    return hash.digest();
  } catch (const Malformed&) {
    return {};
  }
}

std::string stampOf(const std::vector<std::string>& files) {
  std::string stamp;
  for (const std::string& file : files) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    for (const auto part :
         {static_cast<std::int64_t>(status.st_size), static_cast<std::int64_t>(status.st_ino),
          static_cast<std::int64_t>(status.st_mtim.tv_sec),
          static_cast<std::int64_t>(status.st_mtim.tv_nsec)}) {
      stamp += std::to_string(part) + ' ';
    }
  }
  return stamp;
}

std::string fileStamp(const std::string& path) {
  return stampOf(filesOfModel(path));
}

void requireUnchanged(const FileVersion& version) {
  if (version.stamp.empty()) return;
  const std::string stamp = stampOf(version.files);
  if (stamp == version.stamp) return;
  const std::string& path = version.files.front();
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    throw FileError(path, "is no longer there, so no command can read it; put the file back");
  }
  if (hasSameContent(version, stamp)) return;
  throw FileError(path,
                  "was written since it was opened, so a command would read other content; open it "
                  "again first");
}

}  // namespace softscope
