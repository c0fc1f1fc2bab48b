#pragma once

#include <string>

namespace softscope {

/// A file, or a folder, that is filled beside another and takes its name once it is whole. It is
/// removed where it does not come to that: by its destructor; by signals that end the program, such
/// as SIGINT, if it is a file and removePartsOnSignals() was called; and after a kill, by the next
/// program that writes into the same folder.
class PartFile {
 public:
  enum class Kind { File, Folder };

  /// Makes `.NAME.PID.part.ENDING` in `folder`, empty, for a file called `name`. Throws FileError
  /// of `target`, which is what messages call it.
  PartFile(const std::string& folder, const std::string& name, std::string target, Kind kind);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& path() const { return path_; }
  /// Waits until the disk has what was written. Throws FileError.
  void flush() const;
  /// Gives it the name. Throws FileError.
  void rename(const std::string& name);

 private:
  std::string path_;
  std::string target_;
  Kind kind_;
  /// Locked as long as somebody fills it.
  int lock_ = -1;
  int slot_ = -1;
};

/// What the system says of a failure to write, and what to do about it.
std::string writeFailure(int error);

/// Removes files that are not whole yet when a signal from outside ends the program. Signals that
/// are ignored stay so, and a limit on the size of files (SIGXFSZ) becomes a failure to write.
void removePartsOnSignals();

}  // namespace softscope
