#pragma once

#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/array/Table.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace softscope {

/// Properties of a head's exact kernel.
struct ExactKernelValues {
  double smallestEntry = 0;
  /// The singular values of the kernel, largest first, which are its eigenvalues if it is Gaussian;
  /// empty for kernels of more than 2048 tokens.
  std::vector<double> singularValues;

  /// Returns |S - S_m| / |S| in Frobenius norms: the error of the best matrix of rank m, from the
  /// singular values of S beyond the m-th (Eckart and Young, "The approximation of one matrix by
  /// another of lower rank", 1936). Empty if there are no singular values.
  std::optional<double> rankBound(int rank) const;
};

/// Caches the values of exact kernels: the kernel of a network that runs as trained is the same for
/// every choice of landmarks.
class ExactKernels {
 public:
  /// Returns the values of a head's matrix, decomposed as a whole in float64 up to 2048 tokens. May
  /// throw Cancelled before the decomposition begins.
  ExactKernelValues of(const AttentionMap& exact, int head, const Progress& progress = {});

 private:
  /// Keyed by the hash of all entries.
  std::map<std::size_t, ExactKernelValues> values_;
};

/// A head with one choice of landmarks: the error of its Nyström form against the exact kernel, and
/// the least error of any matrix of that rank.
struct LandmarkError {
  HeadApproximation approximation;
  ExactKernelValues exact;
};

/// Measures `heads` of each layer (all heads if empty) with a choice of landmarks, as in
/// computeApproximations(). Layers that approximate nothing keep their obstacle. May throw
/// Cancelled.
std::vector<LandmarkError> measureLandmarks(const std::vector<AnalysedLayer>& layers,
                                            const std::vector<int>& heads,
                                            const LandmarkChoice& landmarks, ExactKernels& kernels,
                                            const Progress& progress = {});

/// Returns a table with a row for each error without an obstacle and the columns `model, layer,
/// head, landmarks, count, relative_error, rank_bound, rescaled_error, exact_relative_error,
/// exact_rescaled_error, tokens, smallest_entry, largest_singular_value`. Errors are those of P V
/// P^T (K1 Z K3) with the released inverse, without SOFT++'s normalisation; those that begin with
/// `exact_` use the pseudo-inverse of A. The last two columns describe the exact kernel.
Table landmarkTable(const std::vector<LandmarkError>& errors);

}  // namespace softscope
