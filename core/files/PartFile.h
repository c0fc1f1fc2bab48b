#pragma once

#include <string>
#include <sys/types.h>

namespace softscope {

/// A file or folder that is filled beside its target and takes the target's name once it is
/// complete. An incomplete one is removed by its destructor; by signals that end the program, such
/// as SIGINT, if it is a file and removePartsOnSignals() was called; and after a kill, by the next
/// program that writes into the same folder.
class PartFile {
 public:
  enum class Kind { File, Folder };

  /// Creates an empty `.NAME.PID.softscope-part.ENDING` in `folder`, for a file called `name`; if a
  /// process of the same number elsewhere fills that, or it is a link or anything else that no
  /// program of this user left, `.NAME-1.PID.softscope-part.ENDING` and so on. Throws FileError for
  /// `target`, which error messages name.
  PartFile(const std::string& folder, const std::string& name, std::string target, Kind kind);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& path() const { return path_; }
  /// Waits until the written data is on disk. Throws FileError.
  void flush() const;
  /// Renames the file or folder to `name`; a file that this replaces hands its permissions on.
  /// Throws FileError.
  void rename(const std::string& name);

 private:
  std::string path_;
  std::string target_;
  Kind kind_;
  /// File descriptor that holds the lock while this process fills the file.
  int lock_ = -1;
  int slot_ = -1;
};

/// Gives a file the permissions of the one that it is to replace, if there is one, and those of
/// `more` besides. A link in place of `file`, and file systems that know no permissions, stay as
/// they are.
void copyPermissions(const std::string& replaced, const std::string& file, mode_t more = 0);

/// Describes a failure to write by its errno, and says what to do about it.
std::string writeFailure(int error);

/// Makes signals from outside that end the program remove incomplete files first. Ignored signals
/// stay ignored, and exceeding the file size limit (SIGXFSZ) becomes a failure to write.
void removePartsOnSignals();

}  // namespace softscope
