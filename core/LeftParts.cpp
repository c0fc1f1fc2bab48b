#include "core/LeftParts.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace softscope {

namespace fs = std::filesystem;

namespace {

/// Returns the process that created `.NAME.PID.part` or `.NAME.PID.part.ENDING`; empty for other
/// names.
std::optional<pid_t> makerOf(std::string_view name) {
  constexpr std::string_view part = ".part";
  const std::size_t end = name.rfind(part);
  if (!name.starts_with('.') || end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view rest = name.substr(end + part.size());
  if (!rest.empty() && rest.front() != '.') return std::nullopt;
  const std::size_t dot = name.rfind('.', end - 1);
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1, end - dot - 1);
  pid_t maker = 0;
  const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), maker);
  const bool isNumber = error == std::errc() && last == digits.data() + digits.size();
  return isNumber && maker > 0 ? std::optional(maker) : std::nullopt;
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

}  // namespace

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

}  // namespace softscope
