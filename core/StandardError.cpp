#include "core/StandardError.h"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace softscope {
namespace {

std::mutex silenceMutex;
int silences = 0;
/// The original standard error while it is silenced; otherwise -1.
int silencedError = -1;

}  // namespace

void writeStandardError(std::string_view text) {
  const std::lock_guard lock(silenceMutex);
  const int file = silencedError >= 0 ? silencedError : STDERR_FILENO;
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

SilentStandardError::SilentStandardError() {
  const std::lock_guard lock(silenceMutex);
  if (silences++ > 0) return;
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return;
  silencedError = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (silencedError >= 0) dup2(nothing, STDERR_FILENO);
  close(nothing);
}

SilentStandardError::~SilentStandardError() {
  const std::lock_guard lock(silenceMutex);
  if (--silences > 0 || silencedError < 0) return;
  dup2(silencedError, STDERR_FILENO);
  close(silencedError);
  silencedError = -1;
}

}  // namespace softscope
