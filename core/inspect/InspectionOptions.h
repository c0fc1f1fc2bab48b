#pragma once

namespace softscope {

/// What an inspection records beside what every one does.
struct InspectionOptions {
  /// Bottlenecks in float64 beside those of the network's own float32; costs about as much as the
  /// landmarks once more, and the memory of an outer factor in float64.
  bool precise = false;
};

}  // namespace softscope
