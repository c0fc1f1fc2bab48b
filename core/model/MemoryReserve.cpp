#include "core/model/MemoryReserve.h"

#include "core/Error.h"

#include <c10/core/Allocator.h>
#include <torch/version.h>

#include <cstddef>
#include <sys/mman.h>
#include <sys/resource.h>

namespace softscope {

namespace {

/// OpenBLAS's buffers of two threads; oneDNN's code is far smaller.
constexpr std::size_t reserve = std::size_t{256} << 20;
/// Smaller blocks cannot bring the process from all of the reserve to nothing of it unseen.
constexpr std::size_t smallestSeen = std::size_t{1} << 20;

/// Whether so much address space could be had. It is given back at once and never touched. Without
/// a limit, the system refuses single blocks that are far too large, and nothing else.
bool isThereReserve() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) return true;
  void* probe =
      mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) return false;
  munmap(probe, reserve);
  return true;
}

/// Another allocator, whose large blocks leave the reserve.
class ReservingAllocator : public c10::Allocator {
 public:
  explicit ReservingAllocator(c10::Allocator* blocks) : blocks_(blocks) {}

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  c10::DataPtr allocate(std::size_t bytes) override {
    return reserving(bytes);
  }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    blocks_->copy_data(to, from, count);
  }
#else
  c10::DataPtr allocate(std::size_t bytes) const override {
    return reserving(bytes);
  }
#endif
  c10::DeleterFnPtr raw_deleter() const override {
    return blocks_->raw_deleter();
  }

 private:
  c10::DataPtr reserving(std::size_t bytes) const {
    c10::DataPtr block = blocks_->allocate(bytes);
    TORCH_CHECK(bytes < smallestSeen || isThereReserve(), "not enough memory: ", bytes,
                " bytes leave too little for the libraries");
    return block;
  }

  c10::Allocator* blocks_;
};

}  // namespace

void keepMemoryReserve() {
  [[maybe_unused]] static const bool isKept = [] {
    static ReservingAllocator allocator(c10::GetAllocator(c10::DeviceType::CPU));
    c10::SetAllocator(c10::DeviceType::CPU, &allocator);
    return true;
  }();
  if (!isThereReserve()) throw MemoryError("there is not enough memory; close something first");
}

}  // namespace softscope
