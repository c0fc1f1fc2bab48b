#include "tests/fuzz/InputOnDisk.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace softscope::fuzz {

namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() {
    std::error_code failed;
    const fs::path memory = "/dev/shm";
    const fs::path place = fs::is_directory(memory, failed) ? memory : fs::temp_directory_path();
    folder_ = place / ("softscope-fuzz-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string file(const std::string& ending) const {
    return (folder_ / ("input" + ending)).string();
  }

 private:
  fs::path folder_;
};

}  // namespace

std::string onDisk(const std::uint8_t* data, std::size_t size, const std::string& ending) {
  static const Scratch scratch;
  const std::string path = scratch.file(ending);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) std::abort();
  while (size > 0) {
    const ssize_t written = write(file, data, size);
    if (written <= 0) std::abort();
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  close(file);
  return path;
}

}  // namespace softscope::fuzz
