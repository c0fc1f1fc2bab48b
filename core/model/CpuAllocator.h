#pragma once

#include <c10/core/Allocator.h>
#include <torch/version.h>

#include <cstddef>

namespace softscope {

/// Stands in the place of LibTorch's allocator of the CPU's memory from when it is made, for good.
/// It hides that LibTorch 2.3 changed what an allocator has to have.
class CpuAllocator : public c10::Allocator {
 public:
  CpuAllocator() : usual_(c10::GetAllocator(c10::DeviceType::CPU)) {
    c10::SetAllocator(c10::DeviceType::CPU, this);
  }

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  c10::DataPtr allocate(std::size_t bytes) override {
    return blockOf(bytes);
  }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    usual_->copy_data(to, from, count);
  }
#else
  c10::DataPtr allocate(std::size_t bytes) const override {
    return blockOf(bytes);
  }
#endif
  c10::DeleterFnPtr raw_deleter() const override {
    return usual_->raw_deleter();
  }

 protected:
  virtual c10::DataPtr blockOf(std::size_t bytes) const = 0;
  /// A block of the allocator before.
  c10::DataPtr usualBlock(std::size_t bytes) const {
    return usual_->allocate(bytes);
  }

 private:
  c10::Allocator* usual_;
};

}  // namespace softscope
