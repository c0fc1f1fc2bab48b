#include "core/machine/StandardStreams.h"

#include "core/Error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <mutex>
#include <string>
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

void openStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this stream's. It is opened in the wrong direction, so that using
    // it still fails.
    const int mode = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", mode) < 0) return;
  }
}

void checkStandardOutput() {
  errno = 0;
  std::cout.flush();
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout;
  if (!failed) return;
  int error = errno;
  // An earlier failure was not reported, but writing another character fails in the same way.
  if (error == 0 && write(STDOUT_FILENO, "\n", 1) < 0) error = errno;
  std::string said = "standard output cannot be written";
  if (error == EBADF) {
    said += ": it is closed";
  } else if (error != 0) {
    said += std::string(": ") + std::strerror(error);
  }
  throw Error(said + "; print to another place");
}

}  // namespace softscope
