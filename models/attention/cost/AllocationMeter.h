#pragma once

#include <c10/core/Device.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

namespace softscope {

/// Counts what LibTorch allocates on devices of one kind while it exists: in this thread, and in
/// those that run backward passes for it.
class AllocationMeter {
 public:
  explicit AllocationMeter(c10::DeviceType device);
  ~AllocationMeter();
  AllocationMeter(const AllocationMeter&) = delete;
  AllocationMeter& operator=(const AllocationMeter&) = delete;

  /// Returns the most bytes held at once, among those allocated since construction.
  std::int64_t peakBytes() const;

 private:
  class Reporter;

  std::shared_ptr<Reporter> reporter_;
  c10::DebugInfoGuard guard_;
};

}  // namespace softscope
