#include "core/files/PartFile.h"

#include "core/Error.h"
#include "core/text/Words.h"

#include <climits>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace softscope {

namespace fs = std::filesystem;

namespace {

/// Marks the parts of this program: users have hidden files of their own.
constexpr std::string_view partMark = ".softscope-part";

/// Returns the process that created `.NAME.PID.softscope-part` or
/// `.NAME.PID.softscope-part.ENDING`; empty for other names.
std::optional<pid_t> makerOf(std::string_view name) {
  const std::size_t end = name.rfind(partMark);
  if (!name.starts_with('.') || end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view rest = name.substr(end + partMark.size());
  if (!rest.empty() && rest.front() != '.') return std::nullopt;
  const std::size_t dot = name.rfind('.', end - 1);
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const auto maker = parseNumber<pid_t>(name.substr(dot + 1, end - dot - 1));
  return maker && *maker > 0 ? maker : std::nullopt;
}

bool isGone(pid_t process) {
  return kill(process, 0) != 0 && errno == ESRCH;
}

/// Returns true if the file belongs to this user and no process on any machine holds its lock.
bool isAbandoned(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  struct stat status {};
  const bool isOurs = fstat(file, &status) == 0 && status.st_uid == geteuid();
  const bool isFree = flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  return isOurs && isFree;
}

/// Returns true the first time that this process asks about the folder.
bool isFirstLook(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> known;
  const std::lock_guard lock(mutex);
  return known.insert(folder).second;
}

/// Removes from a folder the files and folders that PartFile left there in programs that were
/// killed: those that belong to this user, whose process is gone, and that nobody has locked. Looks
/// into each folder only once.
void removeLeftParts(const std::string& folder) {
  std::error_code failed;
  const fs::path whole = fs::absolute(folder, failed);
  if (failed || !isFirstLook(whole.string())) return;
  std::vector<fs::path> left;
  for (auto entry = fs::directory_iterator(whole, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const auto maker = makerOf(entry->path().filename().string());
    if (maker && isGone(*maker)) left.push_back(entry->path());
  }
  for (const fs::path& path : left) {
    if (isAbandoned(path)) fs::remove_all(path, failed);
  }
}

/// A path that a signal handler may read once `ready` is set.
struct PartSlot {
  std::atomic<bool> taken{false};
  std::atomic<bool> ready{false};
  std::array<char, PATH_MAX> path{};
};

static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler may not wait");

constexpr std::size_t mostPartSlots = 16;
std::array<PartSlot, mostPartSlots> partSlots;

/// Returns the number of the slot, or -1 if the path is too long or all slots are taken.
int enterPart(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < mostPartSlots; ++i) {
    if (partSlots[i].taken.exchange(true)) continue;
    std::memcpy(partSlots[i].path.data(), path.c_str(), path.size() + 1);
    partSlots[i].ready = true;
    return static_cast<int>(i);
  }
  return -1;
}

void leavePart(int slot) {
  if (slot < 0) return;
  partSlots[static_cast<std::size_t>(slot)].ready = false;
  partSlots[static_cast<std::size_t>(slot)].taken = false;
}

extern "C" void removePartsAndEnd(int signal) {
  for (PartSlot& slot : partSlots) {
    if (slot.ready) unlink(slot.path.data());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Returns `.NAME.PID.softscope-part.ENDING`, or for a `number` other than 0
/// `.NAME-NUMBER.PID.softscope-part.ENDING`.
std::string partName(const fs::path& name, PartFile::Kind kind, int number) {
  // The system allows names of 255 bytes in all, of which libzip adds some of its own.
  constexpr std::size_t longestStem = 120;
  constexpr std::size_t longestEnding = 60;
  const bool isFile = kind == PartFile::Kind::File;
  const std::string stem = (isFile ? name.stem() : name.filename()).string().substr(0, longestStem);
  // The ending stays last, because some writers choose the format from it.
  const std::string ending = isFile ? name.extension().string() : std::string();
  const std::string other = number == 0 ? std::string() : "-" + std::to_string(number);
  return "." + stem + other + "." + std::to_string(getpid()) + std::string(partMark) +
         ending.substr(0, longestEnding);
}

/// Makes a part under a name that nothing has, and opens it. Returns -1 with errno set if it
/// cannot.
int makePart(const std::string& path, PartFile::Kind kind) {
  constexpr int readWriteForAll = 0666;
  if (kind == PartFile::Kind::File) {
    return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, readWriteForAll);
  }
  if (mkdir(path.c_str(), 0777) != 0) return -1;
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int error = errno;
  if (folder < 0) rmdir(path.c_str());
  errno = error;
  return folder;
}

/// Opens what a process of the same number may have left under the name of a part. Returns -1 for
/// anything else: a link, a pipe, a file that has another name as well, or somebody else's.
int openLeftPart(const std::string& path, PartFile::Kind kind) {
  const bool isFile = kind == PartFile::Kind::File;
  // A pipe would wait for its reader.
  const int file = open(path.c_str(), (isFile ? O_RDWR : O_RDONLY | O_DIRECTORY) | O_NOFOLLOW |
                                          O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status {};
  const bool isOurs = fstat(file, &status) == 0 && status.st_uid == geteuid();
  const bool isPart =
      isFile ? S_ISREG(status.st_mode) && status.st_nlink <= 1 : S_ISDIR(status.st_mode);
  if (isOurs && isPart) return file;
  close(file);
  return -1;
}

/// Returns true unless another process has renamed or removed what was opened.
bool isStillAt(const std::string& path, int file) {
  struct stat opened {};
  struct stat named {};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Removes what a process of the same number left in a part. Returns true if nothing is left.
bool emptiesPart(const std::string& path, int file, PartFile::Kind kind) {
  if (kind == PartFile::Kind::File) return ftruncate(file, 0) == 0;
  std::error_code failed;
  std::vector<fs::path> left;
  for (auto entry = fs::directory_iterator(path, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    left.push_back(entry->path());
  }
  for (const fs::path& inside : left) {
    if (!failed) fs::remove_all(inside, failed);
  }
  return !failed;
}

/// Opens a part under the first of its names that is free: in containers, several processes may
/// have the same number, and anything may have been put under a name that can be guessed. Returns
/// its path and the file, which is locked, or -1 with errno set.
std::pair<std::string, int> takePart(const fs::path& folder, const fs::path& name,
                                     PartFile::Kind kind) {
  constexpr int mostNames = 1000;
  for (int number = 0; number < mostNames; ++number) {
    std::string path = (folder / partName(name, kind, number)).string();
    int file = makePart(path, kind);
    if (file < 0 && errno != EEXIST) return {std::move(path), -1};
    if (file < 0) file = openLeftPart(path, kind);
    if (file < 0) continue;
    // Some file systems have no locks; then only the process id shows that the process is alive.
    const bool isTaken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!isTaken && isStillAt(path, file) && emptiesPart(path, file, kind)) {
      return {std::move(path), file};
    }
    close(file);
  }
  errno = EWOULDBLOCK;
  return {std::string(), -1};
}

}  // namespace

PartFile::PartFile(const std::string& folder, const std::string& name, std::string target,
                   Kind kind)
    : target_(std::move(target)), kind_(kind) {
  removeLeftParts(folder);
  std::tie(path_, lock_) = takePart(folder, name, kind);
  if (lock_ < 0) throw FileError(target_, writeFailure(errno));
  if (kind == Kind::File) slot_ = enterPart(path_);
}

PartFile::~PartFile() {
  leavePart(slot_);
  close(lock_);
  if (path_.empty()) return;
  std::error_code ignored;
  if (kind_ == Kind::Folder) {
    fs::remove_all(path_, ignored);
  } else {
    fs::remove(path_, ignored);
  }
}

void PartFile::flush() const {
  // Opened by name, because a writer may have put another file in its place.
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw FileError(target_, writeFailure(errno));
  const bool failed = fsync(file) != 0;
  const int error = errno;
  close(file);
  // A file that cannot be synchronised at all has still been written.
  if (failed && error != EINVAL && error != ENOTSUP) throw FileError(target_, writeFailure(error));
}

void PartFile::rename(const std::string& name) {
  if (kind_ == Kind::File) copyPermissions(name, path_);
  if (::rename(path_.c_str(), name.c_str()) != 0) throw FileError(target_, writeFailure(errno));
  path_.clear();
}

void copyPermissions(const std::string& replaced, const std::string& file, mode_t more) {
  constexpr mode_t permissions = 0777;
  struct stat status {};
  if (stat(replaced.c_str(), &status) != 0) return;
  const int opened = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0) return;
  static_cast<void>(fchmod(opened, (status.st_mode & permissions) | more));
  close(opened);
}

std::string writeFailure(int error) {
  const std::string said = std::string("cannot be written: ") + std::strerror(error);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return said + "; make room there, or choose another place";
    case EACCES:
    case EPERM:
    case EROFS:
      return said + "; choose a place that you may write to";
    case EFBIG:
      return said + "; raise the limit on the size of files (ulimit -f), or write less";
    case EMFILE:
      return said + "; raise the limit on the number of open files (ulimit -n)";
    case ENFILE:
    case EINTR:
      return said + "; try again";
    default:
      return said + "; choose another place";
  }
}

void removePartsOnSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGALRM}) {
    if (std::signal(signal, removePartsAndEnd) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  // Writing beyond the file size limit then fails as it does on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace softscope
