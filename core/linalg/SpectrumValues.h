#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Singular values, or magnitudes of eigenvalues, and how they were found.
struct SpectrumValues {
  /// Largest first.
  std::vector<double> values;
  /// How many were looked for; fewer values than that means that some did not converge, and are
  /// left out.
  int wanted = 0;
  /// Whether `wanted` is all there are (those that are zero by the factors' sizes alone never
  /// count), rather than the largest of them.
  bool all = true;
  /// How they were found, for the plot's caption: `dense, 197 x 197, float64`.
  std::string method;

  bool converged() const { return static_cast<int>(values.size()) == wanted; }
};

}  // namespace softscope
