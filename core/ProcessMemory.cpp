#include "core/ProcessMemory.h"

#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace softscope {
namespace {

/// A line of /proc/self/status, in bytes.
std::int64_t statusBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != name) continue;
    std::int64_t kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

std::int64_t residentBytes() {
  return statusBytes("VmRSS:");
}

std::int64_t highWaterBytes() {
  return statusBytes("VmHWM:");
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
