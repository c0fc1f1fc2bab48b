#pragma once

namespace softscope {

/// Optional parts of an inspection.
struct InspectionOptions {
  /// Also computes bottlenecks in float64, beside those in the network's own float32. Costs about
  /// as much as computing the landmarks again, and the memory of an outer factor in float64.
  bool precise = false;
};

}  // namespace softscope
