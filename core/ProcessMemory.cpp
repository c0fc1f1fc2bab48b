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

const std::string groupFolder = "/sys/fs/cgroup/";

/// The number in a file of a control group; nothing for `max` or where there is no such file.
std::optional<std::int64_t> groupBytes(const std::string& name) {
  std::ifstream file(groupFolder + name);
  std::int64_t bytes = 0;
  if (file >> bytes) return bytes;
  return std::nullopt;
}

/// What copies of files take of a group's memory, which it gives up where it needs to.
std::int64_t reclaimableGroupBytes() {
  std::ifstream file(groupFolder + "memory.stat");
  std::string name;
  std::int64_t bytes = 0;
  while (file >> name >> bytes) {
    if (name == "inactive_file") return bytes;
  }
  return 0;
}

/// What a control group's limit leaves; `machine` where it has none.
std::int64_t leftByGroup(std::int64_t machine) {
  const auto limit = groupBytes("memory.max");
  if (!limit) return machine;
  const std::int64_t held = groupBytes("memory.current").value_or(0) - reclaimableGroupBytes();
  return std::clamp<std::int64_t>(*limit - held, 0, machine);
}

/// What swapping leaves of `machine` to a control group.
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
  // What was freed but not given back would be taken again without being counted.
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
