#include "core/StandardOutput.h"

#include "core/Error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>

namespace softscope {

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
