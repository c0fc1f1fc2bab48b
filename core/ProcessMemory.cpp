#include "core/ProcessMemory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace softscope {
namespace {

/// A line of a file of /proc that counts in kibibytes, in bytes.
std::int64_t lineBytes(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    if (word != name) continue;
    std::int64_t kibibytes = 0;
    file >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

std::int64_t statusBytes(const std::string& name) {
  return lineBytes("/proc/self/status", name);
}

/// The number in a file of a control group; nothing for `max` or where there is no such file.
std::optional<std::int64_t> groupBytes(const std::string& name) {
  std::ifstream file("/sys/fs/cgroup/" + name);
  std::int64_t bytes = 0;
  if (file >> bytes) return bytes;
  return std::nullopt;
}

}  // namespace

std::int64_t residentBytes() {
  return statusBytes("VmRSS:");
}

std::int64_t highWaterBytes() {
  return statusBytes("VmHWM:");
}

std::int64_t machineBytes() {
  const std::int64_t machine = lineBytes("/proc/meminfo", "MemTotal:");
  return std::min(machine, groupBytes("memory.max").value_or(machine));
}

std::int64_t availableBytes() {
  const std::int64_t machine = lineBytes("/proc/meminfo", "MemAvailable:");
  const auto limit = groupBytes("memory.max");
  if (!limit) return machine;
  return std::min(machine,
                  std::max<std::int64_t>(0, *limit - groupBytes("memory.current").value_or(0)));
}

void forgetHighWater() {
#ifdef __GLIBC__
  // What was freed but not given back would be taken again without being counted.
  malloc_trim(0);
#endif
  std::ofstream("/proc/self/clear_refs") << "5";
}

void reuseFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

}  // namespace softscope
