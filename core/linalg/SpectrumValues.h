#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Singular values, or magnitudes of eigenvalues, and how they were found.
struct SpectrumValues {
  /// The values, largest first.
  std::vector<double> values;
  /// Number of values looked for. If `values` has fewer, some did not converge and are left out.
  int wanted = 0;
  /// True if `wanted` covers all values rather than only the largest. Those that are zero because
  /// of the factors' sizes do not count.
  bool all = true;
  /// How the values were found, for the plot's caption: `dense, 197 x 197, float64`.
  std::string method;

  bool converged() const { return static_cast<int>(values.size()) == wanted; }
};

}  // namespace softscope
