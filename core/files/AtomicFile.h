#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace softscope {

/// Says when a write returns: with `OnDisk` only once the bytes are on disk, so that not even a
/// power cut loses them; with `Soon` as soon as the system has taken them, which is faster.
enum class Durability { OnDisk, Soon };

/// Writes a file so that its name always holds either the old content or all of the new: `write`
/// fills a temporary file in the same folder, which then takes the name. If anything throws, the
/// temporary file is removed and the old file stays, as it also does after a signal or a kill (see
/// PartFile). A symbolic link stays, and the file it leads to is written; pipes and devices are
/// written directly, and so are open files that a path such as /dev/stdout names, which keep what
/// they hold. A file that is replaced hands its permissions on. Throws FileError if the folder is
/// missing or cannot be written, or if the file is there and write-protected.
void writeFileAtomically(const std::string& path,
                         const std::function<void(const std::string& temporaryPath)>& write,
                         Durability durability = Durability::OnDisk);

/// Returns true if what is written there goes straight through, as into a pipe, a device or an open
/// file that the path names (/dev/stdout), instead of replacing a file. Throws FileError if that
/// cannot be determined.
bool isStreamPath(const std::string& path);

/// Throws FileError if writing a file at this path is bound to fail, for example because the file
/// is write-protected. Checking before a long computation saves its result from being lost.
void checkWritable(const std::string& path);

/// Writes bytes that are already in memory, as the other writeFileAtomically() does.
void writeFileAtomically(const std::string& path, std::string_view bytes,
                         Durability durability = Durability::OnDisk);

/// Returns the folder for temporary files: the first that exists and can be written of those that
/// TMPDIR, TEMP and TMP name, and of /tmp and /var/tmp. If there is none, returns /tmp.
std::string temporaryFolder();
/// Returns the path of a new folder in temporaryFolder() as mkdtemp() and QTemporaryDir take it:
/// the last six letters stand for any others.
std::string temporaryPattern();

}  // namespace softscope
