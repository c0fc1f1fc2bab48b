#include "core/Error.h"
#include "core/machine/ProcessMemory.h"
#include "core/network/CpuAllocator.h"
#include "core/network/Device.h"

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <sys/resource.h>

namespace softscope {

namespace {

/// Room for OpenBLAS's buffers of two threads; oneDNN's code is far smaller.
constexpr std::size_t reserve = std::size_t{256} << 20;
/// A block smaller than this cannot use up the whole reserve unnoticed.
constexpr std::size_t smallestSeen = std::size_t{1} << 20;

/// Returns true if the reserve's address space can be allocated. It is released at once and never
/// touched. Without a limit on address space, the system refuses only single blocks that are far
/// too large.
bool isThereReserve() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) return true;
  void* probe =
      mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) return false;
  munmap(probe, reserve);
  return true;
}

/// Smallest block for which it is worth asking how much memory the machine has left.
constexpr std::size_t largeBlock = std::size_t{64} << 20;

/// Returns true if the machine has that much memory left. Linux promises far more than it has, and
/// kills a program that uses what was promised.
bool hasMachine(std::size_t bytes) {
  const auto isLeft = [&] {
    const std::int64_t left = availableBytesWithSwap();
    return left == 0 || bytes <= static_cast<std::size_t>(left);
  };
  if (isLeft()) return true;
  giveBackFreedMemory();
  return isLeft();
}

/// Allocates only blocks that the machine has memory for; larger blocks must also leave the
/// reserve.
class ReservingAllocator final : public CpuAllocator {
  c10::DataPtr blockOf(std::size_t bytes) const override {
    TORCH_CHECK(bytes < largeBlock || hasMachine(bytes), "not enough memory: the machine has no ",
                bytes, " bytes left");
    c10::DataPtr block = usualBlock(bytes);
    TORCH_CHECK(bytes < smallestSeen || isThereReserve(), "not enough memory: ", bytes,
                " bytes leave too little for the libraries");
    return block;
  }
};

}  // namespace

void keepMemoryReserve() {
  // Never destroyed, because other threads may allocate memory until the process ends.
  [[maybe_unused]] static const auto* const allocator = new ReservingAllocator;
  if (isThereReserve()) return;
  throw MemoryError(
      "too little is left of the memory that this program may take (ulimit -v); raise that limit, "
      "or close models");
}

}  // namespace softscope
