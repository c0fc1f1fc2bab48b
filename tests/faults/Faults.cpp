// Loaded before a program (LD_PRELOAD), lets one of the calls fail by which it writes into a
// folder.
//
//   SOFTSCOPE_FAULT_FOLDER  files below this folder count, and no others
//   SOFTSCOPE_FAULT         ENOSPC, EDQUOT, EIO, EINTR, EROFS, SHORT (a write of half its bytes),
//                           KILL (the process is killed) or HANGUP (it gets SIGHUP)
//   SOFTSCOPE_FAULT_AT      which call fails, counted from 1; 0 for none
//   SOFTSCOPE_FAULT_COUNT   a file that gets a line for each call that counts
//
// A full or read-only disk stays what it is: all calls after the first fail as well.

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

enum class Call { Open, Write, Flush, Close, Rename };

constexpr std::size_t mostFiles = 4096;
std::array<std::atomic<bool>, mostFiles> watched{};

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool isInFolder(const char* path) {
  const char* folder = setting("SOFTSCOPE_FAULT_FOLDER");
  const std::size_t length = std::strlen(folder);
  return length > 0 && path && std::strncmp(path, folder, length) == 0;
}

bool isWatched(int file) {
  return file >= 0 && file < static_cast<int>(mostFiles) && watched[static_cast<std::size_t>(file)];
}

void watch(int file, bool value) {
  if (file >= 0 && file < static_cast<int>(mostFiles)) {
    watched[static_cast<std::size_t>(file)] = value;
  }
}

int errorNamed(const char* fault) {
  constexpr std::pair<const char*, int> errors[] = {
      {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EIO", EIO}, {"EINTR", EINTR}, {"EROFS", EROFS}};
  for (const auto& [name, error] : errors) {
    if (std::strcmp(fault, name) == 0) return error;
  }
  return 0;
}

void note(Call call) {
  const char* path = setting("SOFTSCOPE_FAULT_COUNT");
  if (*path == '\0') return;
  static auto* const realOpen = next<int(const char*, int, ...)>("open");
  static auto* const realWrite = next<ssize_t(int, const void*, std::size_t)>("write");
  static auto* const realClose = next<int(int)>("close");
  const int file = realOpen(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  static_cast<void>(realWrite(file, &"owfcr"[static_cast<int>(call)], 1));
  realClose(file);
}

/// What happens to a call that counts: nothing (0), an error, or -1 for half a write.
int fate(Call call) {
  static std::atomic<long> count{0};
  static const long wanted = std::atol(setting("SOFTSCOPE_FAULT_AT"));
  static const std::string fault = setting("SOFTSCOPE_FAULT");
  note(call);
  const long number = ++count;
  const bool stays = fault == "ENOSPC" || fault == "EDQUOT" || fault == "EROFS";
  if (wanted == 0 || number < wanted || (number > wanted && !stays)) return 0;
  if (fault == "KILL") kill(getpid(), SIGKILL);
  if (fault == "HANGUP") std::raise(SIGHUP);
  if (fault == "SHORT") return call == Call::Write ? -1 : 0;
  // A disk that is full or read-only closes and renames what it has; and no close is interrupted.
  const bool takesSpace = call == Call::Open || call == Call::Write || call == Call::Flush;
  if (stays && !takesSpace) return 0;
  if (fault == "EINTR" && (call == Call::Close || call == Call::Rename)) return 0;
  return errorNamed(fault.c_str());
}

bool writes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY;
}

/// Opens by `open` unless it is to fail.
template <typename Open>
int opened(const char* path, int flags, const Open& open) {
  if (!isInFolder(path) || !writes(flags)) return open();
  if (const int error = fate(Call::Open)) {
    errno = error;
    return -1;
  }
  const int file = open();
  watch(file, true);
  return file;
}

template <typename Open>
FILE* openedStream(const char* path, const char* mode, const Open& open) {
  if (!isInFolder(path) || (mode[0] == 'r' && !std::strchr(mode, '+'))) return open();
  if (const int error = fate(Call::Open)) {
    errno = error;
    return nullptr;
  }
  FILE* stream = open();
  if (stream) watch(fileno(stream), true);
  return stream;
}

int flushed(int file, int (*flush)(int)) {
  char name[64];
  char path[4096] = {};
  std::snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
  static_cast<void>(readlink(name, path, sizeof(path) - 1));
  if (const int error = isInFolder(path) ? fate(Call::Flush) : 0) {
    errno = error;
    return -1;
  }
  return flush(file);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* const real = next<int(const char*, int, ...)>("open");
  return opened(path, flags, [&] { return real(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* const real = next<int(const char*, int, ...)>("open64");
  return opened(path, flags, [&] { return real(path, flags, mode); });
}

FILE* fopen(const char* path, const char* mode) {
  static auto* const real = next<FILE*(const char*, const char*)>("fopen");
  return openedStream(path, mode, [&] { return real(path, mode); });
}

FILE* fopen64(const char* path, const char* mode) {
  static auto* const real = next<FILE*(const char*, const char*)>("fopen64");
  return openedStream(path, mode, [&] { return real(path, mode); });
}

int mkdir(const char* path, mode_t mode) {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  if (const int error = isInFolder(path) ? fate(Call::Open) : 0) {
    errno = error;
    return -1;
  }
  return real(path, mode);
}

ssize_t write(int file, const void* bytes, std::size_t count) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  const int end = isWatched(file) && count > 0 ? fate(Call::Write) : 0;
  if (end > 0) {
    errno = end;
    return -1;
  }
  return real(file, bytes, end < 0 ? (count + 1) / 2 : count);
}

ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  const int end = isWatched(file) ? fate(Call::Write) : 0;
  if (end > 0) {
    errno = end;
    return -1;
  }
  return real(file, parts, end < 0 ? 1 : count);
}

ssize_t pwrite64(int file, const void* bytes, std::size_t count, off64_t offset) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64");
  const int end = isWatched(file) && count > 0 ? fate(Call::Write) : 0;
  if (end > 0) {
    errno = end;
    return -1;
  }
  return real(file, bytes, end < 0 ? (count + 1) / 2 : count, offset);
}

int ftruncate64(int file, off64_t length) {
  static auto* const real = next<int(int, off64_t)>("ftruncate64");
  if (const int error = isWatched(file) ? fate(Call::Flush) : 0) {
    errno = error;
    return -1;
  }
  return real(file, length);
}

std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, FILE* stream) {
  static auto* const real =
      next<std::size_t(const void*, std::size_t, std::size_t, FILE*)>("fwrite");
  const int end = isWatched(fileno(stream)) ? fate(Call::Write) : 0;
  if (end > 0) {
    errno = end;
    return 0;
  }
  return real(bytes, size, count, stream);
}

int fsync(int file) {
  return flushed(file, next<int(int)>("fsync"));
}

int fdatasync(int file) {
  return flushed(file, next<int(int)>("fdatasync"));
}

int close(int file) {
  static auto* const real = next<int(int)>("close");
  const int error = isWatched(file) ? fate(Call::Close) : 0;
  watch(file, false);
  const int result = real(file);
  if (error <= 0) return result;
  errno = error;
  return -1;
}

int fclose(FILE* stream) {
  static auto* const real = next<int(FILE*)>("fclose");
  const int file = fileno(stream);
  const int error = isWatched(file) ? fate(Call::Close) : 0;
  watch(file, false);
  const int result = real(stream);
  if (error <= 0) return result;
  errno = error;
  return EOF;
}

int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  if (const int error = isInFolder(to) ? fate(Call::Rename) : 0) {
    errno = error;
    return -1;
  }
  return real(from, to);
}

int renameat2(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags) {
  static auto* const real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  if (const int error = isInFolder(to) ? fate(Call::Rename) : 0) {
    errno = error;
    return -1;
  }
  return real(fromFolder, from, toFolder, to, flags);
}

int linkat(int fromFolder, const char* from, int toFolder, const char* to, int flags) {
  static auto* const real = next<int(int, const char*, int, const char*, int)>("linkat");
  if (const int error = isInFolder(to) ? fate(Call::Rename) : 0) {
    errno = error;
    return -1;
  }
  return real(fromFolder, from, toFolder, to, flags);
}
}
