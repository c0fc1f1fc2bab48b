#pragma once

#include <c10/core/Allocator.h>
#include <torch/version.h>

#include <cstddef>

namespace softscope {

/// Replaces LibTorch's allocator of CPU memory from its construction on, permanently. Hides that
/// LibTorch 2.3 changed the interface of allocators.
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
  /// Returns a block from the previous allocator.
  c10::DataPtr usualBlock(std::size_t bytes) const {
    return usual_->allocate(bytes);
  }

 private:
  c10::Allocator* usual_;
};

}  // namespace softscope
