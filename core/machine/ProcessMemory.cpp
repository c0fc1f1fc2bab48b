#include "core/machine/ProcessMemory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace softscope {
namespace {

/// Returns the value of a line in a file of /proc that counts in kibibytes, converted to bytes.
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

const std::string groupFolder = "/sys/fs/cgroup/";

/// Returns the number in a file of the control group; nothing if the file says `max` or is missing.
std::optional<std::int64_t> groupBytes(const std::string& name) {
  std::ifstream file(groupFolder + name);
  std::int64_t bytes = 0;
  if (file >> bytes) return bytes;
  return std::nullopt;
}

/// Returns the group's bytes of cached files, which the system reclaims on demand.
std::int64_t reclaimableGroupBytes() {
  std::ifstream file(groupFolder + "memory.stat");
  std::string name;
  std::int64_t bytes = 0;
  while (file >> name >> bytes) {
    if (name == "inactive_file") return bytes;
  }
  return 0;
}

/// Returns the bytes that the control group's limit leaves, or `machine` if there is no limit.
std::int64_t leftByGroup(std::int64_t machine) {
  const auto limit = groupBytes("memory.max");
  if (!limit) return machine;
  const std::int64_t held = groupBytes("memory.current").value_or(0) - reclaimableGroupBytes();
  return std::clamp<std::int64_t>(*limit - held, 0, machine);
}

/// Returns the bytes of swap that the control group may still use, at most `machine`.
std::int64_t swapLeftByGroup(std::int64_t machine) {
  const auto limit = groupBytes("memory.swap.max");
  if (!limit) return machine;
  return std::clamp<std::int64_t>(*limit - groupBytes("memory.swap.current").value_or(0), 0,
                                  machine);
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
  return leftByGroup(lineBytes("/proc/meminfo", "MemAvailable:"));
}

std::int64_t availableBytesWithSwap() {
  return availableBytes() + swapLeftByGroup(lineBytes("/proc/meminfo", "SwapFree:"));
}

void giveBackFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void forgetHighWater() {
  // Memory that was freed but not returned would be reused without being counted.
  giveBackFreedMemory();
  std::ofstream("/proc/self/clear_refs") << "5";
}

void reuseFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

}  // namespace softscope
