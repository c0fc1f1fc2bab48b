#include "models/attention/cost/AllocationMeter.h"

#include <c10/core/Allocator.h>

#include <algorithm>
#include <mutex>

namespace softscope {

namespace {

/// LibTorch has changed the type of the totals that it reports.
template <typename Method>
struct TotalOf;
template <typename Total>
struct TotalOf<void (c10::MemoryReportingInfoBase::*)(void*, std::int64_t, Total, Total,
                                                      c10::Device)> {
  using type = Total;
};
using ReportedTotal = TotalOf<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>::type;

}  // namespace

class AllocationMeter::Reporter final : public c10::MemoryReportingInfoBase {
 public:
  explicit Reporter(c10::DeviceType device) : device_(device) {}

  void reportMemoryUsage(void*, std::int64_t bytes, ReportedTotal, ReportedTotal,
                         c10::Device device) override {
    if (device.type() != device_) return;
    const std::lock_guard lock(mutex_);
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t peak() const {
    const std::lock_guard lock(mutex_);
    return peak_;
  }

 private:
  c10::DeviceType device_;
  mutable std::mutex mutex_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
};

AllocationMeter::AllocationMeter(c10::DeviceType device)
    : reporter_(std::make_shared<Reporter>(device)),
      guard_(c10::DebugInfoKind::PROFILER_STATE, reporter_) {}

AllocationMeter::~AllocationMeter() = default;

std::int64_t AllocationMeter::peakBytes() const {
  return reporter_->peak();
}

}  // namespace softscope
