#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Files that something was read from, as they were then.
struct FileVersion {
  /// Paths of the files; the first is the one that users know.
  std::vector<std::string> files;
  /// The stampOf() the files; empty if nothing is known of them, as for what is no file.
  std::string stamp;
  /// The fileFingerprint() of the first file; empty if it is not known.
  std::string fingerprint;
};

/// Returns a value that changes with a file's content: SHA-256 of its size and of up to 64 pieces
/// spread over it, so that it is fast even for large checkpoints. Empty if the file cannot be read.
std::string fileFingerprint(const std::string& path);

/// Returns a value that changes whenever one of these files is written or replaced, also between
/// the pieces that a fingerprint samples: their sizes, inodes and times of the last change. Empty
/// if none is a file.
std::string stampOf(const std::vector<std::string>& files);

/// Returns the stampOf() all files of the model at `path`.
std::string fileStamp(const std::string& path);

/// Throws FileError, with advice, if a command that reads these files would read other content.
/// Looks at contents only where a stamp has changed.
void requireUnchanged(const FileVersion& version);

}  // namespace softscope
